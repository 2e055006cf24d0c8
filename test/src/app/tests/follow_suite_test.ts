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
  const listeners: ((fact: SessionFact) => void)[] = [];
  const actor = {
    on: (_type: string, listener: (fact: SessionFact) => void) => {
      listeners.push(listener);
      return { unsubscribe: () => {} };
    },
  };
  const context: SessionParts = {
    live: liveSession().live,
    actor: actor as unknown as SessionParts["actor"],
    on: () => () => {},
    callers: new Map(),
    ...testStores(),
  };
  const tests = ids.map((id) => testOf({ id, name: id }));
  const following = followSuite(context, tests, { workers: 1, workersReason: "" });
  for (const listener of listeners) listener({ type: "suite.began" });
  const tell = (type: "test.retried" | "test.finished", testId: string, verdict: Verdict) => {
    const fact = { testId, verdict, attempt: 1, observation: { commands: [] } };
    for (const listener of listeners) {
      listener({ type: "test.started", testId, connectionId: "c", pid: 1 });
      listener({ type, ...fact, connectionId: "c", pid: 1 });
    }
  };
  return { tell, following };
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
