import t from "tap";
import { createActor, createMachine, fromCallback, fromPromise, SimulatedClock } from "xstate";
import { destroyLimitMs, environmentMachine } from "../../machines/environment_machine.ts";

type Fact = { type: string; requestId?: string; error?: Error };

/** An environment whose work ends when the test says so, and what it told the session. */
function stage() {
  const facts: Fact[] = [];
  const begun: string[] = [];
  const ended: string[] = [];
  const ends: Record<string, (error?: Error) => void> = {};
  const slot = (name: string, output: unknown) =>
    fromPromise<never>(() =>
      new Promise((resolve, reject) => {
        begun.push(name);
        ends[name] = (error) => error ? reject(error) : resolve(output as never);
      })
    ) as never;
  const clock = new SimulatedClock();
  const machine = environmentMachine.provide({
    actors: {
      provision: slot("provision", { environment: { handle: { environmentId: "e" } }, tierAsked: false }),
      snapshot: slot("snapshot", "s1"),
      rollback: slot("rollback", { handle: { environmentId: "e" } }),
      destroy: slot("destroy", undefined),
      perform: fromCallback(({ input: { operation: { requestId } }, sendBack }) => {
        begun.push(requestId);
        ends[requestId] = () => sendBack({ type: "operation.completed", requestId, output: 1 });
        return () => ended.push(requestId);
      }),
    },
  });
  const root = createActor(
    createMachine({
      context: ({ spawn }) => ({ environment: spawn(machine, { id: "environment", input: { config: {} } }) }),
      on: { "*": { actions: ({ event }) => void facts.push(event as Fact) } },
    }),
    { clock },
  ).start();
  const { environment } = root.getSnapshot().context as {
    environment: { send(event: object): void; getSnapshot(): { value: unknown } };
  };
  const settle = () => new Promise((resolve) => setTimeout(resolve, 1));
  return {
    begun,
    clock,
    ended,
    facts,
    send: (event: object) => environment.send(event),
    value: () => environment.getSnapshot().value,
    end: async (name: string, error?: Error) => {
      ends[name]!(error);
      await settle();
    },
    answers: () =>
      facts.filter(({ type }) => type.startsWith("operation."))
        .map(({ type, requestId }) => `${requestId} ${type.replace("operation.", "")}`),
    told: (type: string) => facts.filter((fact) => fact.type === type).length,
  };
}

async function ready() {
  const staged = stage();
  staged.send({ type: "environment.provision" });
  await staged.end("provision");
  return staged;
}

t.test("what is asked while a snapshot is taken is done after it, in the order in which it was asked", async (t) => {
  const { send, begun, end, answers } = await ready();
  send({ type: "environment.snapshot", requestId: "1", tag: "a" });
  send({ type: "environment.perform", requestId: "2", kind: "exec", args: {} });
  send({ type: "environment.rollback", requestId: "3", snapshot: "s0" });
  send({ type: "environment.perform", requestId: "4", kind: "exec", args: {} });
  t.same(begun, ["provision", "snapshot"]);
  await end("snapshot");
  t.same(begun, ["provision", "snapshot", "2", "rollback"]);
  await end("rollback");
  t.same(begun, ["provision", "snapshot", "2", "rollback", "4"]);
  await end("4");
  await end("2");
  t.same(answers(), ["1 completed", "3 completed", "4 completed", "2 completed"]);
});

t.test("destroying ends what runs and answers all that was asked, a snapshot under way too", async (t) => {
  const { send, end, ended, answers, told, facts } = await ready();
  send({ type: "environment.perform", requestId: "1", kind: "exec", args: {} });
  send({ type: "environment.snapshot", requestId: "2", tag: "a" });
  send({ type: "environment.perform", requestId: "3", kind: "exec", args: {} });
  send({ type: "environment.destroy" });
  t.same(ended, ["1"], "the command is ended");
  t.same(answers(), ["1 failed", "2 failed", "3 failed"]);
  send({ type: "environment.perform", requestId: "4", kind: "exec", args: {} });
  t.same(answers().at(-1), "4 failed", "and so is what comes later");
  t.match(facts.at(-1)?.error, { message: /there is no environment/ });
  await end("destroy");
  t.equal(told("environment.destroyed"), 1);
  t.equal(answers().length, 4, "nobody is answered twice");
});

t.test("a runtime that does not come back from destroying is told after its limit, and the environment as there", async (t) => {
  const { send, clock, facts, value } = await ready();
  send({ type: "environment.destroy" });
  clock.increment(destroyLimitMs - 1);
  t.equal(value(), "destroying");
  clock.increment(1);
  t.match(facts.at(-1), { type: "environment.destroy_failed", error: { message: /not done after 120 s/ } });
  t.equal(value(), "ready");
});

t.test("one that waits its turn can be cancelled; a rollback then is told as failed", async (t) => {
  const { send, end, answers, told, begun } = await ready();
  send({ type: "environment.snapshot", requestId: "1", tag: "a" });
  send({ type: "environment.rollback", requestId: "2", snapshot: "s0" });
  send({ type: "environment.cancel_operation", requestId: "2" });
  send({ type: "environment.cancel_operation", requestId: "2" });
  t.same(answers(), ["2 failed"]);
  t.equal(told("environment.rollback_failed"), 1);
  await end("snapshot");
  t.same(answers(), ["2 failed", "1 completed"]);
  t.same(begun, ["provision", "snapshot"]);
});
