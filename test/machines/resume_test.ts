/** The steps by which an interrupted session is brought back, answered in the session's place. */
import t from "tap";
import { fromPromise } from "xstate";
import { resumeMachine } from "../../machines/resume_machine.ts";
import { answeredTask, type StepAnswer } from "./task_session.ts";

const environment = { handle: { environmentId: "e" } };
const plugin = { tools: [] };
const config = { runtime: "host" };
const answers: Record<string, StepAnswer> = {
  "session.provision": { result: environment },
  "session.load_plugin": { result: plugin },
};

function filled(generate: () => Promise<void> = () => Promise.resolve()) {
  let generated = 0;
  const machine = resumeMachine.provide({
    actors: {
      generate: fromPromise<void, void>(() => {
        generated++;
        return generate();
      }),
    },
  });
  return { machine, generated: () => generated };
}

t.test("a session is brought back by its environment, its plugin and its generated tests", async (t) => {
  const { machine, generated } = filled();
  const task = answeredTask(machine, { config, withheld: false }, ({ type }) => answers[type]);
  t.match(await task.ended, { type: "task.completed", result: { environment, plugin } });
  t.match(task.requests, [{ type: "session.provision", config }, {
    type: "session.load_plugin",
    caller: "1",
  }]);
  t.equal(generated(), 1);
});

t.test("a plugin whose secrets are not known is not loaded", async (t) => {
  const { machine, generated } = filled();
  const task = answeredTask(machine, { config, withheld: true }, ({ type }) => answers[type]);
  t.match(await task.ended, { type: "task.completed", result: { environment, plugin: undefined } });
  t.same(task.asked, ["session.provision"]);
  t.equal(generated(), 0);
});

t.test("the first step that fails is the last one, and its error the answer", async (t) => {
  const error = new Error("no");
  for (const [at, failing] of Object.keys(answers).entries()) {
    const { machine, generated } = filled();
    const task = answeredTask(
      machine,
      { config, withheld: false },
      ({ type }) => type === failing ? { error } : answers[type],
    );
    t.match(await task.ended, { type: "task.failed", error }, failing);
    t.equal(task.asked.length, at + 1);
    t.equal(generated(), 0);
  }
  const { machine } = filled(() => Promise.reject(error));
  const task = answeredTask(machine, { config, withheld: false }, ({ type }) => answers[type]);
  t.match(await task.ended, { type: "task.failed", error });
});

t.test("a resume that is cancelled ends at the step that is under way", async (t) => {
  const { machine, generated } = filled();
  const task = answeredTask(
    machine,
    { config, withheld: false },
    ({ type }) => type === "session.load_plugin" ? undefined : answers[type],
  );
  while (task.asked.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  task.cancel();
  t.match(await task.ended, { type: "task.failed", error: { message: "cancelled" } });
  t.equal(generated(), 0);

  const generating = filled(() => new Promise(() => {}));
  const late = answeredTask(generating.machine, { config, withheld: false }, ({ type }) => answers[type]);
  while (generating.generated() === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  late.cancel();
  t.match(await late.ended, { type: "task.failed", error: { name: "AbortError" } });
});
