/** The steps by which a session is closed, answered in the session's place, on a clock of its own. */
import t from "tap";
import { type AnyEventObject, fromPromise, SimulatedClock } from "xstate";
import { closeMachine } from "../../machines/close_machine.ts";
import type { ExportOptions, ExportSessionArgs } from "../../machines/model/branch_work.ts";
import { answeredTask, type StepAnswer } from "./task_session.ts";

const args = { report: {}, iterations: [], always: true, pullRequest: false } as unknown as ExportSessionArgs;
const machine = closeMachine.provide({
  actors: { gather: fromPromise<ExportSessionArgs, ExportOptions>(() => Promise.resolve(args)) },
});
const exports = { always: true, pullRequest: false };
const exported = { report: "SESSION-REPORT.md" };
const answers: Record<string, StepAnswer> = {
  "session.stop_work": { result: undefined },
  "session.work": { result: exported },
};
const answer = ({ type }: AnyEventObject) => answers[type];
const turn = () => new Promise((resolve) => setTimeout(resolve, 1));

t.test("what is under way stops before what the session leaves is gathered and exported", async (t) => {
  const task = answeredTask(machine, { exports }, answer);
  t.match(await task.ended, { type: "task.completed", result: { exported, error: undefined } });
  t.match(task.requests, [{ type: "session.stop_work" }, { type: "session.work", kind: "hand_over", args }]);
});

t.test("a session that exports nothing stops what is under way all the same", async (t) => {
  const task = answeredTask(machine, { exports: undefined }, answer);
  t.match(await task.ended, { type: "task.completed", result: { exported: undefined, error: undefined } });
  t.same(task.asked, ["session.stop_work"]);
});

t.test("what cannot be exported is part of the answer", async (t) => {
  const error = new Error("the branch is gone");
  const task = answeredTask(
    machine,
    { exports },
    ({ type }) => type === "session.work" ? { error } : answers[type],
  );
  t.match(await task.ended, { type: "task.completed", result: { exported: undefined, error } });
  const gathering = machine.provide({
    actors: { gather: fromPromise<ExportSessionArgs, ExportOptions>(() => Promise.reject(error)) },
  });
  const ungathered = answeredTask(gathering, { exports }, answer);
  t.match(await ungathered.ended, { type: "task.completed", result: { exported: undefined, error } });
  t.same(ungathered.asked, ["session.stop_work"]);
});

t.test("work that does not stop within its limit does not keep a session from its export", async (t) => {
  const clock = new SimulatedClock();
  const task = answeredTask(
    machine,
    { exports },
    ({ type }) => type === "session.stop_work" ? undefined : answers[type],
    clock,
  );
  clock.increment(4999);
  t.same(task.asked, ["session.stop_work"]);
  clock.increment(1);
  t.match(await task.ended, { type: "task.completed", result: { exported, error: undefined } });
});

t.test("an export that takes too long is cancelled, and then no longer waited for", async (t) => {
  for (const hangs of [false, true]) {
    const clock = new SimulatedClock();
    const task = answeredTask(
      machine,
      { exports },
      ({ type }) => type === "session.work" ? undefined : answers[type],
      clock,
      { ignoresCancel: hangs },
    );
    while (task.asked.length < 2) await turn();
    clock.increment(59_999);
    t.equal(task.cancelled(), 0);
    clock.increment(1);
    t.equal(task.cancelled(), 1);
    if (hangs) clock.increment(5000);
    t.match(await task.ended, {
      type: "task.completed",
      result: { exported: undefined, error: { message: "it was not done within 60 s" } },
    });
  }
});
