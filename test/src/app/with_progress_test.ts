import t from "tap";
import { type SessionParts, withProgress } from "../../../src/app/session/session_parts.ts";
import type { ProgressStep, PublishedEvent } from "../../../src/api/harness.ts";

/** Tells the facts while work goes on, and gathers what the caller hears. */
async function heard(facts: readonly PublishedEvent[]): Promise<ProgressStep[]> {
  const listeners = new Set<(fact: PublishedEvent) => void>();
  const on = (listener: (fact: PublishedEvent) => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const steps: ProgressStep[] = [];
  await withProgress({ on } as unknown as SessionParts, { onProgress: (step) => steps.push(step) }, () => {
    for (const fact of facts) for (const listener of listeners) listener(fact);
    return Promise.resolve();
  });
  t.equal(listeners.size, 0, "nobody listens on");
  return steps;
}

t.test("the loop's phases, fixes and refusals are told as steps", async (t) => {
  const fix = { commit: "c0ffee0000111", title: "add", body: "", type: "fix", tests: [], files: [], at: "" };
  const steps = await heard([
    { type: "iteration.phase", iteration: 2, phase: "fixing" },
    { type: "fix.committed", iteration: 2, fix },
    { type: "fix.refused", iteration: 2, title: "sub", reason: "it exited with 3\nout of credit" },
  ]);
  t.strictSame(steps, [
    { phase: "iteration", message: "iteration 2: fixing" },
    { phase: "fix", message: "add (c0ffee0000)" },
    { phase: "fix", message: "no fix for sub: it exited with 3" },
  ]);
});

t.test("runs of evals are counted", async (t) => {
  const result = { status: "failed" as const, score: 0, graders: [], problems: [], warnings: [] };
  const steps = await heard([
    { type: "eval.finished", name: "rose", run: 2, runs: 3, result, done: 4, total: 6 },
  ]);
  t.strictSame(steps, [{ phase: "evals", message: "rose: failed", done: 4, total: 6 }]);
});

t.test("agent tests are counted once they do not run again", async (t) => {
  const finished = (status: "pass" | "fail", again: boolean): PublishedEvent => ({
    type: "agent_test.finished",
    fixture: "beds",
    id: "rose",
    name: "Rose",
    result: { id: "rose", judgement: { status, expectations: [] }, startedAt: 0, durationMs: 1, attempts: 1 },
    again,
  });
  t.strictSame(await heard([finished("fail", true), finished("pass", false)]), [
    { phase: "agent tests", message: "beds/rose: fail, runs again" },
    { phase: "agent tests", message: "beds/rose: pass", done: 1 },
  ]);
});

t.test("a request within a request tells each step once", async (t) => {
  const listeners = new Set<(fact: PublishedEvent) => void>();
  const context = {
    on: (listener: (fact: PublishedEvent) => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  } as unknown as SessionParts;
  const steps: ProgressStep[] = [];
  const options = { onProgress: (step: ProgressStep) => void steps.push(step) };
  const build = () => {
    for (const listener of listeners) listener({ type: "step.started", phase: "build", message: "make" });
    return Promise.resolve();
  };
  await withProgress(context, options, () => withProgress(context, options, build));
  t.strictSame(steps, [{ phase: "build", message: "make" }]);
  await withProgress(context, options, build);
  t.equal(steps.length, 2, "the next request tells again");
});

t.test("each suite counts from its own beginning", async (t) => {
  const test = { id: "a", name: "a" } as Extract<PublishedEvent, { type: "test.finished" }>["test"];
  const result = {} as Extract<PublishedEvent, { type: "test.finished" }>["result"];
  const suite: PublishedEvent[] = [
    { type: "suite.started", tests: [test], workers: 1, workersReason: "" },
    { type: "test.finished", test, result },
  ];
  const steps = await heard([...suite, ...suite]);
  t.strictSame(steps.map(({ done, total }) => [done, total]), [[1, 1], [1, 1]]);
});
