import t from "tap";
import { createActor, createMachine, fromPromise, sendTo } from "xstate";
import { connectionMachine, dependenciesMachine, pluginMachine, poolMachine } from "../../machines/mod.ts";
import type { ConnectionLoss, PluginPlan } from "../../machines/model/plugin.ts";
import type { PluginInput } from "../../machines/plugin_machine.ts";

/** Slots that note what is done to whom; `broken` is the one whose server does not start. */
function group(names: string[], broken?: string) {
  const story: string[] = [];
  const planOf = (name: string) => ({ name, dependency: name }) as PluginPlan;
  const connection = connectionMachine.provide({
    actors: {
      open: fromPromise(({ input }) => {
        const name = input.plan.dependency!;
        story.push(`start ${name}`);
        if (name === broken) return Promise.reject(new Error(`${name} is broken`));
        return Promise.resolve({ server: {} as never, pid: 1, tools: [] });
      }),
      watch: fromPromise<ConnectionLoss, { connectionId: string }>(() => new Promise(() => {})),
      close: fromPromise(({ input }) => {
        story.push(`stop ${input.connectionId}`);
        return Promise.resolve({ how: "stdin-eof" as const, waitedMs: 0, exitCode: 0, orphans: [] });
      }),
    },
  });
  const plugin = pluginMachine.provide({
    actors: {
      plan: fromPromise<PluginPlan, PluginInput>(({ input }) => {
        story.push(`plan ${input.load.dependency}`);
        return Promise.resolve(planOf(input.load.dependency!));
      }),
      install: fromPromise(({ input }) => Promise.resolve(input.plan)),
      build: fromPromise(({ input }) => Promise.resolve(input.plan)),
      pool: poolMachine.provide({ actors: { connection } }),
    },
  });
  let told: (fact: string) => void = () => {};
  const hear = (type: string) => ({
    [type]: {
      actions: ({ event }: { event: { type: string; error?: Error } }) => told(event.error?.message ?? type),
    },
  });
  const session = createActor(createMachine({
    invoke: {
      id: "dependencies",
      src: dependenciesMachine.provide({ actors: { plugin } }),
      input: { environment: { environmentId: "e" } as never, names },
    },
    on: {
      ...hear("dependencies.started"),
      ...hear("dependencies.failed"),
      ...hear("dependencies.stopped"),
      restart: {
        actions: sendTo("dependencies", { type: "dependencies.restart", environment: {} as never }),
      },
      stop: { actions: sendTo("dependencies", { type: "dependencies.stop" }) },
    },
  }));
  const next = (send?: "restart" | "stop") => {
    const fact = new Promise<string>((resolve) => told = resolve);
    if (send) session.send({ type: send });
    else session.start();
    return fact;
  };
  return { story, next };
}

t.test("they start one after another, and stop the other way round", async (t) => {
  const { story, next } = group(["a", "b", "c"]);
  t.equal(await next(), "dependencies.started");
  t.strictSame(story.splice(0), ["plan a", "start a", "plan b", "start b", "plan c", "start c"]);
  t.equal(await next("stop"), "dependencies.stopped");
  t.strictSame(story, ["stop c-connection-1", "stop b-connection-1", "stop a-connection-1"]);
});

t.test("one that fails stops those before it, and those behind it never start", async (t) => {
  const { story, next } = group(["a", "b", "c"], "b");
  t.equal(await next(), "b is broken");
  t.strictSame(story, ["plan a", "start a", "plan b", "start b", "stop a-connection-1"]);
});

t.test("a restart stops them all before the first starts again", async (t) => {
  const { story, next } = group(["a", "b"]);
  await next();
  story.length = 0;
  t.equal(await next("restart"), "dependencies.started");
  t.strictSame(story.slice(0, 3), ["stop b-connection-1", "stop a-connection-1", "plan a"]);
  t.equal(await next("stop"), "dependencies.stopped");
});

t.test("a stop while they start ends the start", async (t) => {
  const { story, next } = group(["a", "b"]);
  void next();
  t.equal(await next("stop"), "dependencies.stopped");
  t.notOk(story.includes("start b"), story.join());
});
