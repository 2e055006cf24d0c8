/** The steps of a run of tests, answered in the session's place, with slots that are filled by hand. */
import t from "tap";
import { fromPromise } from "xstate";
import type { TestRunResult } from "../../machines/model/test_result.ts";
import type { SuiteOptions } from "../../machines/model/suite_options.ts";
import {
  type CollectTestsInput,
  type PlannedTestRun,
  testRunMachine,
} from "../../machines/test_run_machine.ts";
import { answeredTask, type StepAnswer } from "./task_session.ts";

const planned: PlannedTestRun = {
  suite: {
    type: "session.run_suite",
    tests: [],
    workers: 1,
    rules: { isolation: "shared", strict: false },
    bail: undefined,
  },
};
const withOwn: PlannedTestRun = { ...planned, own: [{ projectRoot: ".", level: "unit" }] };
const answer = { framework: "pytest", summary: { passed: 1, failed: 0, skipped: 0, duration_ms: 1 } };
const result = { summary: {}, results: [] } as unknown as TestRunResult;

/** The machine, and what its slots were asked for. */
function filled({ restart = false, plan = () => Promise.resolve(planned) } = {}) {
  const asked: string[] = [];
  const ended: CollectTestsInput[] = [];
  const did = <Result>(what: string, output: Result) => {
    asked.push(what);
    return Promise.resolve(output);
  };
  const machine = testRunMachine.provide({
    actors: {
      instrument: fromPromise<boolean, { suite: SuiteOptions }>(() => did("instrument", restart)),
      measure: fromPromise<void, void>(() => did("measure", undefined)),
      plan: fromPromise<PlannedTestRun, { suite: SuiteOptions }>(() => did("plan", undefined).then(plan)),
      collect: fromPromise<TestRunResult, CollectTestsInput>(({ input }) => {
        ended.push(input);
        return did(`collect ${input.reason}`, result);
      }),
      readCoverage: fromPromise<void, TestRunResult>(() => did("read coverage", undefined)),
      abandon: fromPromise<void, { error: unknown }>(({ input: { error } }) =>
        did(`abandon: ${(error as Error).message}`, undefined)
      ),
    },
  });
  return { machine, asked, ended };
}

const complete = ({ type }: { type: string }): StepAnswer =>
  type === "session.run_suite" ? { result: { reason: "complete" } } : { result: {} };

t.test("a run plans its tests, asks for one suite and collects its results", async (t) => {
  const { machine, asked } = filled();
  const task = answeredTask(machine, { suite: {} }, complete);
  t.match(await task.ended, { type: "task.completed", result });
  t.match(task.requests, [planned.suite]);
  t.same(asked, ["plan", "collect complete"]);
});

t.test("a run that measures reloads a server that is not measured, before tests are chosen", async (t) => {
  for (const restart of [true, false]) {
    const { machine, asked } = filled({ restart });
    const task = answeredTask(machine, { suite: { coverage: true } }, complete);
    await task.ended;
    t.same(task.asked, restart ? ["session.reload_plugin", "session.run_suite"] : ["session.run_suite"]);
    t.same(asked, ["instrument", "measure", "plan", "collect complete", "read coverage"]);
  }
});

t.test("a run whose suite is refused, or that cannot be planned, is abandoned and fails with the reason", async (t) => {
  const error = new Error("not now");
  const refused = filled();
  t.match(await answeredTask(refused.machine, { suite: {} }, () => ({ error })).ended, {
    type: "task.failed",
    error,
  });
  t.same(refused.asked, ["plan", "abandon: not now"]);
  const unplanned = filled({ plan: () => Promise.reject(error) });
  const task = answeredTask(unplanned.machine, { suite: {} }, complete);
  t.match(await task.ended, { type: "task.failed", error });
  t.same(task.asked, []);
  t.same(unplanned.asked, ["plan", "abandon: not now"]);
});

t.test("a run that is cancelled while its tests are chosen asks for no suite", async (t) => {
  let choose = () => {};
  const { machine, asked } = filled({
    plan: () => new Promise((resolve) => choose = () => resolve(planned)),
  });
  const task = answeredTask(machine, { suite: {} }, complete);
  task.cancel();
  await Promise.resolve();
  choose();
  t.match(await task.ended, { type: "task.failed", error: { name: "AbortError" } });
  t.same(task.asked, []);
  t.match(asked, ["plan", /^abandon/]);
});

t.test("a suite that ended because it was cancelled has results", async (t) => {
  const { machine, asked } = filled();
  const task = answeredTask(machine, { suite: {} }, () => ({ result: { reason: "cancelled" } }));
  t.match(await task.ended, { type: "task.completed", result });
  t.same(asked, ["plan", "collect cancelled"]);
});

t.test("a cancel while tests run goes to their suite", async (t) => {
  const { machine, asked } = filled();
  const task = answeredTask(machine, { suite: {} }, () => undefined);
  while (task.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  task.cancel();
  t.match(await task.ended, { type: "task.failed" });
  t.equal(task.cancelled(), 1);
  t.same(asked, ["plan", "abandon: cancelled"]);
});

const planOwn = () => Promise.resolve(withOwn);

t.test("own tests run after the suite, and their answer is collected with it", async (t) => {
  const { machine, ended } = filled({ plan: planOwn });
  const task = answeredTask(
    machine,
    { suite: {} },
    (request) => request.type === "session.run_project_tests" ? { result: answer } : complete(request),
  );
  t.match(await task.ended, { type: "task.completed", result });
  t.match(task.requests, [planned.suite, { type: "session.run_project_tests", run: withOwn.own![0] }]);
  t.same(ended, [{ reason: "complete", own: [{ answer }] }]);
});

t.test("results of the suite are collected where own tests cannot be run, with the error", async (t) => {
  const { machine, ended } = filled({ plan: planOwn });
  const error = new Error("there is no pytest");
  const task = answeredTask(
    machine,
    { suite: {} },
    (request) => request.type === "session.run_project_tests" ? { error } : complete(request),
  );
  t.match(await task.ended, { type: "task.completed", result });
  t.match(ended, [{ reason: "complete", own: [{ error }] }]);
});

t.test("own tests do not begin after a suite that ended early", async (t) => {
  for (const reason of ["bailed", "cancelled"]) {
    const { machine, ended } = filled({ plan: planOwn });
    const task = answeredTask(machine, { suite: {} }, () => ({ result: { reason } }));
    t.match(await task.ended, { type: "task.completed" });
    t.same(task.asked, ["session.run_suite"]);
    t.same(ended, [{ reason, own: [] }]);
  }
});

t.test("a cancel while own tests run ends them, and the results until then are collected", async (t) => {
  const { machine, ended } = filled({ plan: planOwn });
  const task = answeredTask(
    machine,
    { suite: {} },
    (request) => request.type === "session.run_suite" ? complete(request) : undefined,
  );
  while (task.asked.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  task.cancel();
  t.match(await task.ended, { type: "task.completed", result });
  t.equal(task.cancelled(), 1);
  t.match(ended, [{ reason: "complete", own: [{ error: { message: "cancelled" } }] }]);
});

t.test("own tests of several frameworks run one after the other; a cancel ends them all", async (t) => {
  const own = ["pytest", "vitest", "cargo"].map((framework) => ({ projectRoot: ".", framework }));
  const error = new Error("there is no vitest");
  const answers = [{ result: { reason: "complete" } }, { result: answer }, { error }, undefined];
  const { machine, ended } = filled({ plan: () => Promise.resolve({ ...planned, own }) });
  const task = answeredTask(machine, { suite: {} }, () => answers.shift());
  while (task.asked.length < 4) await new Promise((resolve) => setTimeout(resolve, 1));
  t.match(task.requests.slice(1).map(({ run }) => run), own);
  task.cancel();
  t.match(await task.ended, { type: "task.completed", result });
  t.match(ended, [{ reason: "complete", own: [{ answer }, { error }, { error: { message: "cancelled" } }] }]);
  const early = filled({ plan: () => Promise.resolve({ ...planned, own }) });
  const ending = answeredTask(
    early.machine,
    { suite: {} },
    (request) => request.type === "session.run_suite" ? complete(request) : undefined,
  );
  while (ending.asked.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  ending.cancel();
  await ending.ended;
  t.equal(ending.asked.length, 2, "no other one begins");
});
