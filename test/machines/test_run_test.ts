/** A run of tests from its plan to its results, and what is left of one that does not get there. */
import t from "tap";
import { type AnyActorRef, createActor, createMachine, fromPromise } from "xstate";
import { testRunMachine } from "../../machines/mod.ts";
import type { SuiteOptions } from "../../machines/model/suite_options.ts";
import type { TestRunResult } from "../../machines/model/test_result.ts";
import type { UnsentRequests } from "../../machines/session/session_requests.ts";
import type { TaskFact } from "../../machines/task/task.ts";

interface Asked {
  type: string;
  id?: string;
  requestId: string;
  replyTo: AnyActorRef;
}

const result: TestRunResult = {
  summary: { total: 0, passed: 0, failed: 0, skipped: 0, flaky: 0, durationMs: 1 },
  results: [],
};

/** The task below a session; `restarts` says that the server runs unmeasured, `suite` how the suite ends. */
function runOf(
  suite: SuiteOptions,
  { restarts = false, ends = "complete" }: { restarts?: boolean; ends?: "complete" | "refused" | "waits" } =
    {},
) {
  const log: string[] = [];
  const note = (step: string) => {
    log.push(step);
    return Promise.resolve();
  };
  const machine = testRunMachine.provide({
    actors: {
      instrument: fromPromise(() => note("instrument").then(() => restarts)),
      measure: fromPromise(() => note("measure")),
      plan: fromPromise(() =>
        note("plan").then((): UnsentRequests["session.run_suite"] => ({
          type: "session.run_suite",
          tests: [],
          workers: 1,
          rules: { isolation: "shared", strict: false },
          bail: undefined,
        }))
      ),
      collect: fromPromise<TestRunResult, { reason: string }>(({ input }) =>
        note(`collect ${input.reason}`).then(() => result)
      ),
      readCoverage: fromPromise(() => note("readCoverage")),
      abandon: fromPromise<void, { error: unknown }>(({ input }) =>
        note(`abandon: ${(input.error as Error).message}`)
      ),
    },
  });
  let waiting: Asked | undefined;
  const session = (event: Asked) => {
    if (event.type === "session.expect_answer") return;
    log.push(event.type);
    const { requestId, replyTo } = event.type === "session.cancel_request" ? waiting! : event;
    const isSuite = event.type === "session.run_suite";
    if (isSuite && ends === "waits") waiting = event;
    else if (isSuite && ends === "refused") {
      replyTo.send({ type: "request.failed", requestId, error: new Error("no plugin") });
    } else {
      const reason = event.type === "session.cancel_request" ? "cancelled" : "complete";
      replyTo.send({ type: "request.completed", requestId, result: { reason } });
    }
  };
  let heard: (fact: TaskFact) => void;
  const told = new Promise<TaskFact>((resolve) => heard = resolve);
  const parent = createActor(
    createMachine({
      invoke: { src: machine, id: "run", input: { requestId: "1", caller: "1", suite } },
      on: {
        "session.*": { actions: ({ event }) => session(event as unknown as Asked) },
        "task.*": { actions: ({ event }) => heard(event as unknown as TaskFact) },
      },
    }),
  );
  parent.start();
  return {
    log,
    told,
    isWaiting: () => waiting !== undefined,
    cancel: () => parent.getSnapshot().children["run"]!.send({ type: "task.cancel" }),
  };
}

t.test("tests are chosen, run as one suite and collected", async (t) => {
  const { log, told } = runOf({});
  t.same(await told, { type: "task.completed", requestId: "1", result });
  t.same(log, ["plan", "session.run_suite", "collect complete"]);
});

t.test("for coverage a server that runs unmeasured is reloaded first", async (t) => {
  const { log, told } = runOf({ coverage: true }, { restarts: true });
  await told;
  t.same(log, [
    "instrument",
    "session.reload_plugin",
    "measure",
    "plan",
    "session.run_suite",
    "collect complete",
    "readCoverage",
  ]);
  const measured = runOf({ coverage: true });
  await measured.told;
  t.notOk(measured.log.includes("session.reload_plugin"), "one that is measured goes on");
});

t.test("a suite that is refused is abandoned, and its error is the run's", async (t) => {
  const { log, told } = runOf({}, { ends: "refused" });
  t.match(await told, { type: "task.failed", error: { message: "no plugin" } });
  t.equal(log.at(-1), "abandon: no plugin");
});

t.test("a cancel goes to the suite, and what it came to is collected", async (t) => {
  const { log, told, cancel, isWaiting } = runOf({}, { ends: "waits" });
  while (!isWaiting()) await new Promise((resolve) => setTimeout(resolve, 1));
  cancel();
  t.match(await told, { type: "task.completed" });
  t.same(log.slice(-2), ["session.cancel_request", "collect cancelled"]);
});
