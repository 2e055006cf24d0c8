/** The steps of a clean run, answered in the session's place. */
import t from "tap";
import { cleanRunMachine } from "../../machines/clean_run_machine.ts";
import { answeredTask, type StepAnswer } from "./task_session.ts";

const drift = { drifted: false, changes: [] };
const run = { summary: { passed: 1 }, results: [] };
const answers: Record<string, StepAnswer> = {
  "session.perform": { result: drift },
  "session.replace_environment": { result: {} },
  "session.run_tests": { result: run },
};
const steps = Object.keys(answers);

t.test("a clean run tells the drift, replaces the environment, and runs the tests", async (t) => {
  const suite = { grep: "x" };
  const task = answeredTask(cleanRunMachine, { suite }, ({ type }) => answers[type]);
  t.match(await task.ended, { type: "task.completed", requestId: "1", result: { drift, run } });
  t.same(task.asked, steps);
  t.match(task.requests, [
    { kind: "drift", args: {} },
    { config: {}, caller: "1" },
    { suite, caller: "1" },
  ]);
});

t.test("an environment that cannot be asked for its drift is replaced all the same", async (t) => {
  const error = new Error("it is gone");
  const task = answeredTask(
    cleanRunMachine,
    { suite: {} },
    ({ type }) => type === "session.perform" ? { error } : answers[type],
  );
  t.match(await task.ended, { type: "task.completed", result: { drift: undefined, driftError: error, run } });
  t.same(task.asked, steps);
});

t.test("without a new environment no test runs", async (t) => {
  const error = new Error("no image");
  const task = answeredTask(
    cleanRunMachine,
    { suite: {} },
    ({ type }) => type === "session.replace_environment" ? { error } : answers[type],
  );
  t.match(await task.ended, { type: "task.failed", error });
  t.same(task.asked, steps.slice(0, 2));
});

t.test("a clean run that is cancelled asks for no further step", async (t) => {
  for (const [at, unanswered] of steps.entries()) {
    const task = answeredTask(
      cleanRunMachine,
      { suite: {} },
      ({ type }) => type === unanswered ? undefined : answers[type],
    );
    while (task.asked.length <= at) await new Promise((resolve) => setTimeout(resolve, 1));
    task.cancel();
    t.match(await task.ended, { type: "task.failed", error: { message: "cancelled" } }, unanswered);
    t.same(task.asked, steps.slice(0, at + 1));
  }
});
