import t from "tap";
import { type AnyEventObject, createActor, createMachine, fromPromise, sendTo } from "xstate";
import {
  connectionMachine,
  type OpenedConnection,
  type OpenInput,
} from "../../machines/connection_machine.ts";
import type { CloseReport, ConnectionLoss, PluginPlan } from "../../machines/model/plugin.ts";
import { type PlannedInput, type PluginInput, pluginMachine } from "../../machines/plugin_machine.ts";
import { poolMachine } from "../../machines/pool_machine.ts";

const tools = [{ name: "echo", inputSchema: {} }];

type StepName = "plan" | "install" | "build" | "open" | "close";

/** A plugin whose steps do as they are told: end at once, fail with an error, or hang until they are left. */
function start(behave: Partial<Record<StepName, Error | "hang">>) {
  const ran: string[] = [];
  const heard: AnyEventObject[] = [];
  const measured: boolean[] = [];
  const ends: (() => void)[] = [];
  const step = <Output, Input>(name: StepName, output: () => Output, see = (_input: Input) => {}) =>
    fromPromise<Output, Input>(({ input }) => {
      ran.push(name);
      see(input);
      const told = behave[name];
      if (told === "hang") return new Promise<never>(() => {});
      return told instanceof Error ? Promise.reject(told) : Promise.resolve(output());
    });
  const plan = () => ({ name: `plan ${ran.length}` }) as PluginPlan;
  const connection = connectionMachine.provide({
    actors: {
      open: step<OpenedConnection, OpenInput>("open", () => ({ server: {} as never, pid: 1, tools })),
      watch: fromPromise<ConnectionLoss, { connectionId: string }>(() => new Promise(() => {})),
      close: fromPromise<CloseReport, { connectionId: string }>(async () => {
        ran.push("close");
        if (behave.close === "hang") await new Promise<void>((resolve) => ends.push(resolve));
        return { how: "stdin-eof", waitedMs: 1, exitCode: 0, orphans: ["sleep 1"] };
      }),
    },
  });
  const plugin = pluginMachine.provide({
    actors: {
      plan: step<PluginPlan, PluginInput>("plan", plan),
      install: step<PluginPlan, PlannedInput>("install", plan),
      build: step<PluginPlan, PlannedInput>("build", plan, ({ coverage }) => measured.push(coverage)),
      pool: poolMachine.provide({ actors: { connection } }),
    },
  });
  const session = createActor(createMachine({
    invoke: { src: plugin, id: "plugin", input: { environment: {}, load: {} } },
    on: {
      ask: { actions: sendTo("plugin", ({ event }) => (event as AnyEventObject).what) },
      "plugin.*": { actions: ({ event }) => heard.push(event) },
    },
  })).start();
  const child = () => session.getSnapshot().children["plugin"]!.getSnapshot();
  return {
    ran,
    heard,
    measured,
    /** Lets servers end whose end hangs. */
    letEnd: () => ends.splice(0).forEach((end) => end()),
    ask: (type: string, more: object = {}) => session.send({ type: "ask", what: { type, ...more } }),
    settle: () => new Promise((resolve) => setTimeout(resolve, 5)),
    state: () => child().value,
    context: () => child().context as { plan: PluginPlan; draft: unknown; running: unknown; error: unknown },
  };
}

t.test("a reload plans, installs and builds before it stops the old server", async (t) => {
  const plugin = start({});
  await plugin.settle();
  t.match(plugin.heard, [{ type: "plugin.started" }]);
  const first = plugin.context().plan.name;
  const before = plugin.ran.length;
  plugin.ask("plugin.reload");
  await plugin.settle();
  t.strictSame(plugin.ran.slice(before), ["plan", "install", "build", "close", "open"]);
  t.match(plugin.heard.at(-1), { type: "plugin.reloaded", closed: [{ orphans: ["sleep 1"] }] });
  t.not(plugin.context().plan.name, first, "the new server runs from the new plan");
  t.match(plugin.context().running, { plan: plugin.context().plan, tools });
  t.equal(plugin.state(), "ready");
});

for (const name of ["plan", "install", "build"] as const) {
  t.test(`a ${name} that fails leaves the old server running from its own plan`, async (t) => {
    const behave: Parameters<typeof start>[0] = {};
    const plugin = start(behave);
    await plugin.settle();
    const { plan } = plugin.context();
    behave[name] = new Error("no");
    plugin.ask("plugin.reload");
    await plugin.settle();
    t.match(plugin.heard.at(-1), {
      type: "plugin.reload_failed",
      error: { message: "no" },
      serverRuns: true,
    });
    t.match(plugin.context(), { plan, draft: undefined, running: { plan }, error: { message: "no" } });
    t.equal(plugin.state(), "ready");
    t.notOk(plugin.ran.includes("close"));
    delete behave[name];
    plugin.ask("plugin.reload");
    await plugin.settle();
    t.match(plugin.heard.at(-1), { type: "plugin.reloaded" });
    t.equal(plugin.context().error, undefined);
  });

  t.test(`a reload that hangs in its ${name} can be given up, and stopped`, async (t) => {
    const behave: Parameters<typeof start>[0] = {};
    const plugin = start(behave);
    await plugin.settle();
    behave[name] = "hang";
    plugin.ask("plugin.reload");
    await plugin.settle();
    plugin.ask("plugin.cancel_reload");
    t.match(plugin.heard.at(-1), { type: "plugin.reload_failed", error: /cancelled/, serverRuns: true });
    t.equal(plugin.state(), "ready");
    plugin.ask("plugin.reload");
    await plugin.settle();
    plugin.ask("plugin.stop");
    await plugin.settle();
    t.match(plugin.heard.at(-1), { type: "plugin.stopped", closed: [{ how: "stdin-eof" }] });
  });
}

t.test("a server that does not start again has failed, and no old one runs", async (t) => {
  const behave: Parameters<typeof start>[0] = {};
  const plugin = start(behave);
  await plugin.settle();
  behave.open = new Error("exited with 1");
  plugin.ask("plugin.reload");
  await plugin.settle();
  t.match(plugin.heard.at(-1), { type: "plugin.reload_failed", serverRuns: false, before: tools });
  t.equal(plugin.state(), "failed");
});

t.test("a reload that is given up while the old server ends starts none, and says that none runs", async (t) => {
  const behave: Parameters<typeof start>[0] = {};
  const plugin = start(behave);
  await plugin.settle();
  behave.close = "hang";
  plugin.ask("plugin.reload");
  await plugin.settle();
  t.same(plugin.state(), { reloading: "swapping" });
  plugin.ask("plugin.cancel_reload");
  plugin.ask("plugin.cancel_reload");
  t.same(plugin.state(), { reloading: "abandoning" });
  const opened = plugin.ran.filter((name) => name === "open").length;
  plugin.letEnd();
  await plugin.settle();
  t.equal(plugin.state(), "failed");
  t.equal(plugin.ran.filter((name) => name === "open").length, opened);
  t.match(plugin.heard.slice(1), [{
    type: "plugin.reload_failed",
    error: { name: "AbortError", message: /cancelled/ },
    serverRuns: false,
    before: tools,
  }]);
  t.equal(plugin.heard.length, 2, "it is answered once");
});

t.test("a reload that is given up while the new server starts ends that server before it is answered", async (t) => {
  const behave: Parameters<typeof start>[0] = {};
  const plugin = start(behave);
  await plugin.settle();
  behave.open = "hang";
  plugin.ask("plugin.reload");
  await plugin.settle();
  t.same(plugin.state(), { reloading: "starting" });
  behave.close = "hang";
  plugin.ask("plugin.cancel_reload");
  await plugin.settle();
  t.equal(plugin.heard.length, 1);
  plugin.letEnd();
  await plugin.settle();
  t.match(plugin.heard.slice(1), [{ type: "plugin.reload_failed", error: /cancelled/, serverRuns: false }]);
  t.equal(plugin.heard.length, 2, "it is answered once");
  t.equal(plugin.state(), "failed");
});

t.test("a reload that is given up can still be stopped", async (t) => {
  const behave: Parameters<typeof start>[0] = {};
  const plugin = start(behave);
  await plugin.settle();
  behave.close = "hang";
  plugin.ask("plugin.reload");
  await plugin.settle();
  plugin.ask("plugin.cancel_reload");
  plugin.ask("plugin.stop");
  plugin.letEnd();
  await plugin.settle();
  t.match(plugin.heard.slice(1), [{ type: "plugin.stopped", closed: [{ how: "stdin-eof" }] }]);
});

t.test("giving up means nothing to a first load", async (t) => {
  const plugin = start({ build: "hang" });
  await plugin.settle();
  plugin.ask("plugin.cancel_reload");
  t.same(plugin.state(), { loading: "building" });
  t.strictSame(plugin.heard, []);
});

t.test("servers are measured from the reload on that asks for it, until one asks for none", async (t) => {
  const plugin = start({});
  await plugin.settle();
  for (const coverage of [true, undefined, false, undefined]) {
    plugin.ask("plugin.reload", coverage === undefined ? {} : { coverage });
    await plugin.settle();
  }
  t.same(plugin.measured, [false, true, true, false, false]);
});
