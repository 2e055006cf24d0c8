/** What is kept of a suite's facts, also of one that is cut short. */
import t from "tap";
import type { SessionFact } from "../../../../machines/session_machine.ts";
import { followSuite } from "../../../../src/app/tests/follow_suite.ts";
import { type SessionParts, testStores } from "../../../../src/app/session/session_parts.ts";
import { liveSession } from "../../actors/live.ts";
import { testOf } from "../../testing/observed.ts";
import type { Verdict } from "../../../../machines/model/verdict.ts";

/** A suite of tests of these ids; `tell` stands for the session. */
function follow(...ids: string[]) {
  const finished: string[] = [];
  const listeners: ((fact: SessionFact) => void)[] = [];
  const actor = {
    on: (_type: string, listener: (fact: SessionFact) => void) => {
      listeners.push(listener);
      return { unsubscribe: () => {} };
    },
  };
  const { live } = liveSession({}, (fact) => {
    if (fact.type === "test.finished") finished.push(`${fact.test.id} ${fact.result.status}`);
  });
  const context: SessionParts = {
    live,
    actor: actor as unknown as SessionParts["actor"],
    on: () => () => {},
    callers: new Map(),
    ...testStores(),
  };
  const tests = ids.map((id) => testOf({ id, name: id }));
  context.tests.all = tests;
  const following = followSuite(context, tests, { workers: 1, workersReason: "" });
  for (const listener of listeners) listener({ type: "suite.began" });
  const tell = (type: "test.retried" | "test.finished", testId: string, verdict: Verdict) => {
    const fact = { testId, verdict, attempt: 1, observation: { commands: [] } };
    for (const listener of listeners) {
      listener({ type: "test.started", testId, connectionId: "c", pid: 1 });
      listener({ type, ...fact, connectionId: "c", pid: 1 });
    }
  };
  return { tell, following, finished: () => [...finished] };
}

t.test("a failure that was to run again is a failure when the suite is cancelled before", (t) => {
  const { tell, following } = follow("failed", "passed", "never begun");
  tell("test.retried", "failed", {
    status: "failed",
    message: "wrong",
    category: "wrong-output",
    findings: [],
  });
  tell("test.finished", "passed", { status: "passed", findings: [] });
  const { summary, results } = following.finish("cancelled");
  t.match(summary, { failed: 1, passed: 1, skipped: 1 });
  t.match(results, [
    { id: "failed", status: "failed", message: "wrong", note: /cancelled before it ran again/ },
    { id: "passed", status: "passed" },
    { id: "never begun", status: "skipped", note: /cancelled/ },
  ]);
  t.end();
});

t.test("a test that ran again has the verdict on all its runs", (t) => {
  const { tell, following } = follow("a");
  tell("test.retried", "a", { status: "failed", message: "once", findings: [] });
  tell("test.finished", "a", { status: "flaky", message: "once", findings: [] });
  t.match(following.finish("complete").results, [{ status: "flaky" }]);
  t.end();
});

t.test("one noisy tool is one failure, whatever order its tests end in, and is told at the end", (t) => {
  const noisy: Verdict = {
    status: "failed",
    message: "echo wrote a line on stdout",
    category: "protocol-error",
    findings: [],
    noise: { lines: ["hi"], firstCall: 0, started: [], otherwise: { status: "passed" } },
  };
  const { tell, following, finished } = follow("a", "b", "c");
  tell("test.finished", "b", noisy);
  tell("test.finished", "c", { status: "passed", findings: [] });
  t.same(finished(), ["c passed"]);
  tell("test.retried", "a", noisy);
  const { summary, results } = following.finish("cancelled");
  t.match(summary, { failed: 1, passed: 2 });
  t.match(results, [{ id: "a", status: "failed", message: /"b"$/ }, {
    id: "b",
    status: "passed",
    note: /"a" fails/,
  }, {}]);
  t.same(finished(), ["c passed", "a failed", "b passed"]);
  t.end();
});
