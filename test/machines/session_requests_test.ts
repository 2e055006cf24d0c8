import t from "tap";
import { type AnyActorRef, type AnyEventObject, createActor, SimulatedClock } from "xstate";
import { connectionMachine } from "../../machines/connection_machine.ts";
import { environmentMachine } from "../../machines/environment_machine.ts";
import { pluginMachine } from "../../machines/plugin_machine.ts";
import { poolMachine } from "../../machines/pool_machine.ts";
import { sessionMachine } from "../../machines/session_machine.ts";
import { suiteMachine } from "../../machines/suite_machine.ts";
import { testMachine } from "../../machines/test_machine.ts";
import { testOf } from "../src/testing/observed.ts";
import {
  callFake,
  environmentInfo,
  evalRunFake,
  iterationFake,
  loadFake,
  plan,
  standing,
  tested,
  testRunFake,
  workFake,
} from "./walks/fakes.ts";
import { World } from "./walks/world.ts";

const echo = { name: "echo", inputSchema: { type: "object" } };

/** An open session with an environment, whose slots end by name. */
function stage() {
  const world = new World(1);
  world.calm = true;
  const connection = connectionMachine.provide({
    actors: {
      open: world.slot("open", () => ({ server: {}, pid: 1, tools: [echo] })),
      watch: world.slot("watch"),
      call: world.channel("call", () => ({ type: "call.progressed" })),
      close: world.slot("close", () => ({ how: "stdin-eof", waitedMs: 1, exitCode: 0, orphans: [] })),
    },
  });
  const suite = suiteMachine.provide({
    actors: { test: testMachine.provide({ actors: { cleanUp: world.slot("clean up") } }) },
  });
  const environment = environmentMachine.provide({
    actors: {
      provision: world.slot("provision", () => ({ environment: environmentInfo, tierAsked: true })),
      perform: world.channel("operation", () => ({ type: "unheard" })),
      snapshot: world.slot("snapshot", () => "s1"),
      rollback: world.slot("rollback", () => environmentInfo),
      destroy: world.slot("destroy"),
    },
  });
  const plugin = pluginMachine.provide({
    actors: {
      plan: world.slot("plan", () => plan),
      install: world.slot("install", () => plan),
      build: world.slot("build", () => plan),
      pool: poolMachine.provide({ actors: { connection } }),
    },
  });
  const machine = sessionMachine.provide({
    actors: {
      prepareSource: world.slot("prepare source", () => ({ notes: [] })),
      release: world.slot("release", () => ({ branchKept: false, commits: 0, leftBehind: [], kept: [] })),
      work: workFake(world),
      environment,
      plugin,
      suite,
      call: callFake(world),
      iteration: iterationFake(world),
      loadTask: loadFake(world),
      testRunTask: testRunFake(world),
      evalsTask: evalRunFake(world),
    },
  });
  const answers: string[] = [];
  const facts: AnyEventObject[] = [];
  const clock = new SimulatedClock();
  const actor = createActor(machine, {
    clock,
    input: { sessionId: "s", target: {}, mode: "session", force: false } as never,
  });
  actor.on("*", (fact) => {
    facts.push(fact);
    if (fact.type === "request.completed") answers.push(`${fact.requestId} completed`);
    if (fact.type === "request.failed") answers.push(`${fact.requestId} failed`);
  });
  actor.subscribe({ error: (error) => t.error(error) });
  actor.start();
  const ask = (type: string, requestId: string, more: object = {}) => {
    const event = { type, requestId, ...more } as never;
    const can = actor.getSnapshot().can(event);
    if (can) actor.send(event);
    return can;
  };
  world.settle("prepare source");
  ask("session.provision", "p", { config: {} });
  world.settle("provision");
  const load = () => {
    ask("session.load", "l", { load: {} });
    for (const slot of ["plan", "install", "build", "open"]) world.settle(slot);
  };
  return { actor, answers, ask, clock, facts, load, settle: (name: string) => world.settle(name), world };
}

t.test("nothing is rolled back while the plugin is on its way, and nothing is started while it is rolled back", (t) => {
  const { ask, settle, answers } = stage();
  ask("session.load", "l", { load: {} });
  t.notOk(ask("session.rollback", "r", { snapshot: "s" }), "it loads");
  for (const slot of ["plan", "install", "build", "open"]) settle(slot);
  t.ok(ask("session.rollback", "r", { snapshot: "s" }));
  for (const type of ["session.reload", "session.call", "session.run_suite", "session.rollback"]) {
    t.notOk(ask(type, "x", { tests: [], rules: {} }), type);
  }
  t.ok(ask("session.perform", "e", { kind: "exec", args: {} }), "ordinary work waits its turn");
  settle("rollback");
  t.same(answers, ["p completed", "l completed", "r completed"]);
  t.ok(ask("session.reload", "again"));
  t.end();
});

t.test("destroying the environment answers what is under way in it", (t) => {
  const { ask, settle, answers } = stage();
  ask("session.perform", "e", { kind: "exec", args: {} });
  ask("session.snapshot", "s", { tag: "t" });
  ask("session.perform", "f", { kind: "exec", args: {} });
  t.ok(ask("session.destroy_environment", "d"));
  settle("destroy");
  t.same(answers, ["p completed", "e failed", "s failed", "f failed", "d completed"]);
  t.end();
});

t.test("evals need an environment, run one at a time, and are cancelled by their request's id", async (t) => {
  const { actor, answers, ask, settle } = stage();
  const evals = { evals: { agent: { agent: "claude" }, by: "pth", workers: 2 } };
  t.ok(ask("session.run_evals", "e", evals));
  t.notOk(ask("session.run_evals", "f", evals), "one at a time");
  t.notOk(ask("session.run_tests", "t", { suite: {} }), "nor beside tests");
  for (const type of ["session.load_plugin", "session.replace_environment", "session.rollback"]) {
    t.notOk(
      ask(type, "x", { config: {}, snapshot: "s" }),
      `${type}: they are about one source and environment`,
    );
  }
  settle("plan evals");
  actor.send({ type: "session.cancel_request", id: "e" });
  for (let left = 100; left > 0 && answers.at(-1) !== "e failed"; left--) {
    for (const slot of ["run agent", "collect trace", "remove folders"]) settle(slot);
    await Promise.resolve();
  }
  t.same(answers, ["p completed", "e failed"]);
  t.ok(ask("session.destroy_environment", "d"));
  settle("destroy");
  t.notOk(ask("session.run_evals", "g", evals), "there is none");
});

t.test("configuration of an environment, and whether its tier was asked for, outlive it", (t) => {
  for (const request of ["session.destroy_environment", "session.abandon_environment"]) {
    const { actor, ask, settle } = stage();
    const provisioned = () => actor.getSnapshot().context.provisioned;
    t.same(provisioned(), { info: environmentInfo, config: environmentInfo.config, tierAsked: true });
    t.ok(ask(request, "gone"), request);
    settle("destroy");
    t.same(provisioned(), { info: undefined, config: environmentInfo.config, tierAsked: true });
  }
  t.end();
});

t.test("a call that is under way when the plugin is stopped is answered", (t) => {
  const { ask, load, settle, answers, world } = stage();
  load();
  ask("session.call", "c", { tool: "echo", input: {}, limitMs: 1000 });
  ask("session.unload", "u");
  settle("close");
  t.equal(world.begun("call").length, 1);
  settle("explain loss");
  t.same(answers.slice(2), ["u completed", "c failed"]);
  t.end();
});

t.test("the cancel of a call that was answered meanwhile harms nothing", (t) => {
  const { actor, ask } = stage();
  actor.send({ type: "session.cancel_call", callId: "gone" });
  t.ok(ask("session.perform", "e", { kind: "exec", args: {} }), "the session goes on");
  t.end();
});

t.test("a load is told when the plugin is settled, before it is answered; a reload is answered only", (t) => {
  const { ask, facts, settle } = stage();
  const told = () => facts.map(({ type, requestId }) => requestId === "p" ? [] : type).flat();
  ask("session.load_plugin", "load", { load: {} });
  for (const slot of ["observe", "prepare load", "plan", "install", "build", "open"]) settle(slot);
  t.same(told(), ["session.opened"]);
  settle("settle");
  t.same(told(), ["session.opened", "plugin.loaded", "request.completed"]);
  ask("session.reload_plugin", "reload");
  for (const slot of ["observe", "plan", "install", "build", "close", "open", "settle"]) settle(slot);
  t.same(told().slice(3), ["request.completed"]);
  t.end();
});

t.test("coverage that a load or reload asked for is asked for by those after it", (t) => {
  const { actor, ask, load, settle, world } = stage();
  load();
  const built = () => (world.begun("build") as { coverage: boolean }[]).map(({ coverage }) => coverage);
  const reload = (more: object) => {
    ask("session.reload_plugin", `r${built().length}`, more);
    for (const slot of ["observe", "plan", "install", "build", "close", "open", "settle"]) settle(slot);
  };
  reload({ coverage: true });
  reload({});
  t.same(built(), [false, true, true]);
  ask("session.unload", "u");
  settle("close");
  ask("session.load_plugin", "l2");
  for (const slot of ["observe", "prepare load", "plan", "install", "build", "open", "settle"]) settle(slot);
  ask("session.reload_plugin", "last", { coverage: false });
  actor.send({ type: "session.reload_plugin", requestId: "refused", coverage: true });
  for (const slot of ["observe", "plan", "install", "build", "close", "open", "settle"]) settle(slot);
  t.same(built().slice(3), [true, false], "a request that is refused changes nothing");
  t.equal(actor.getSnapshot().context.loaded.coverage, false);
  t.end();
});

t.test("why a reload lost the plugin, and the tools that it had, are known until it is back, which is a load", (t) => {
  const { actor, ask, answers, facts, load, settle, world } = stage();
  const lost = () => actor.getSnapshot().context.loaded.lost;
  const failure = () => actor.getSnapshot().context.loaded.failure;
  load();
  ask("session.reload_plugin", "loses");
  settle("observe");
  actor.send({ type: "plugin.reload_failed", error: new Error("no"), serverRuns: false, before: [echo] });
  actor.send({ type: "session.cancel_request", id: "loses" });
  settle("read failure");
  t.equal(answers.at(-1), "loses failed");
  t.same(lost(), [echo]);
  t.match(failure(), { message: "noted" });
  ask("session.reload_plugin", "again");
  for (const slot of ["observe", "prepare load", "plan", "install", "build", "open"]) settle(slot);
  t.match(world.begun("settle"), [{ reloads: false, reload: true, loaded: { before: [echo] } }]);
  t.same([lost(), failure()], [undefined, undefined]);
  settle("settle");
  t.equal(answers.at(-1), "again completed");
  t.equal(facts.filter(({ type }) => type === "plugin.loaded").length, 1);
  t.end();
});

t.test("each call has an actor of its own, under an id that a later call gets again", (t) => {
  const { actor, answers, ask, load } = stage();
  load();
  const call = (requestId: string) =>
    ask("session.call", requestId, { tool: "echo", input: {}, limitMs: 1000 });
  const calls = () => Object.keys(actor.getSnapshot().children).filter((id) => id.startsWith("call-")).sort();
  call("a");
  call("b");
  t.same(calls(), ["call-1", "call-2"]);
  actor.send({ type: "session.cancel_call", callId: "a" });
  t.same(calls(), ["call-2"], "what is answered is stopped");
  call("c");
  t.same(calls(), ["call-1", "call-2"]);
  const died = { type: "xstate.error.actor.call-1", error: new Error("oh"), actorId: "call-1" } as const;
  actor.send(died);
  t.same(calls(), ["call-2"]);
  actor.send({ type: "session.cancel_call", callId: "b" });
  t.same(answers.slice(2), ["a failed", "c failed", "b failed"]);
  t.same(calls(), []);
  t.end();
});

const planned = {
  test: testOf({ id: "t", name: "t", input: {}, teardown: [{ exec: "rm made" }] }),
  timeoutMs: 60_000,
  extendable: false,
  openEnded: false,
};
const suite = { tests: [planned], workers: 1, rules: { isolation: "shared", strict: false } };

t.test("a session that ends lets its tests take away what they made, for a moment", (t) => {
  for (const hangs of [false, true]) {
    const { actor, ask, load, settle, answers, clock, world } = stage();
    load();
    ask("session.run_suite", "s", suite);
    actor.send({ type: "session.end", keep: false });
    t.same(answers.at(-1), "s failed", "whoever asked for the suite hears at once");
    t.equal(world.begun("clean up").length, 1);
    if (hangs) clock.increment(5000);
    else settle("clean up");
    for (const slot of ["close", "destroy", "release"]) settle(slot);
    t.equal(actor.getSnapshot().value, "ended");
    t.same(answers, ["p completed", "l completed", "s failed"]);
  }
  t.end();
});

t.test("a session ends although nothing that it tears down comes back, and says what to do", (t) => {
  const { actor, ask, load, clock, facts } = stage();
  load();
  ask("session.perform", "e", { kind: "exec", args: {} });
  actor.send({ type: "session.end", keep: false });
  clock.increment(30_000);
  clock.increment(120_000);
  clock.increment(120_000);
  t.equal(actor.getSnapshot().value, "ended");
  t.match(facts.find(({ type }) => type === "session.ended"), {
    end: { branchKept: true, leftBehind: [/could not be removed within 120 s: run pth clean/] },
  });
  t.end();
});

t.test("a child that dies of an error of its own is answered for, and the session goes on", (t) => {
  for (const [child, slot] of [["environment", "session.snapshot"], ["plugin", "session.reload"]] as const) {
    const { actor, ask, load, answers } = stage();
    if (child === "plugin") load();
    ask(slot, "r", { tag: "t" });
    const ref = actor.getSnapshot().context[child] as AnyActorRef;
    actor.send({ type: `xstate.error.actor.${ref.id}`, error: new Error("oh"), actorId: ref.id });
    t.equal(answers.at(-1), "r failed", child);
    t.equal((actor.getSnapshot().value as { open: Record<string, string> }).open[child], "absent");
  }
  t.end();
});

const iterate = { run: {}, ...tested(standing("a")), history: { records: [], last: 0 } };
/** Requests that would change what the loop works on. */
const changes: Record<string, object> = {
  "session.apply_fix": { request: {} },
  "session.revert_fix": { commit: "c" },
  "session.load_plugin": {},
  "session.reload_plugin": {},
  "session.reload": {},
  "session.unload": {},
  "session.replace_environment": { config: {} },
  "session.restore_snapshot": { snapshot: "s" },
  "session.rollback": { snapshot: "s" },
  "session.run_suite": suite,
  "session.run_tests": { suite: {} },
  "session.run_clean": { suite: {} },
  "session.measure_performance": { request: {}, known: {} },
  "session.begin_agent_run": { runId: "r", test: planned },
};

t.test("what is under way is cancelled where that is asked for, and the answer comes when it is over", (t) => {
  const { actor, ask, load, settle, answers, world } = stage();
  load();
  ask("session.stop_work", "nothing");
  t.equal(answers.at(-1), "nothing completed", "at once where nothing is under way");
  ask("session.iterate", "loop", iterate);
  ask("session.stop_work", "stop");
  t.same(answers.slice(-2), ["loop completed", "stop completed"]);
  ask("session.run_tests", "run", { suite: {} });
  ask("session.stop_work", "first");
  ask("session.stop_work", "second");
  t.equal(answers.at(-1), "stop completed", "the run is not over yet");
  actor.send({ type: "session.cancel_request", id: "first" });
  t.equal(answers.at(-1), "first failed", "who does not wait any more is answered");
  settle("plan suite");
  settle("abandon");
  t.same(answers.slice(-2), ["run failed", "second completed"]);
  t.equal(world.begun("plan suite").length, 1);
  t.end();
});

t.test("tests are run for one request at a time, also while they are chosen", (t) => {
  const { actor, ask, load } = stage();
  load();
  ask("session.run_tests", "first", { suite: {} });
  const takes = (type: string, more: object) =>
    actor.getSnapshot().can({ type, requestId: "x", ...more } as never);
  t.notOk(takes("session.run_tests", { suite: {} }));
  t.notOk(takes("session.run_tests", { suite: {}, replyTo: actor }), "nor for a child");
  t.notOk(takes("session.iterate", iterate), "nor does a loop begin");
  t.ok(takes("session.run_suite", suite), "their suite is a request of its own");
  const own = { run: { projectRoot: "." } };
  t.notOk(takes("session.run_project_tests", own), "nor are own tests run from outside");
  t.ok(takes("session.run_project_tests", { ...own, replyTo: actor }), "they are a step, as the suite is");
  t.end();
});

t.test("while the loop is under way only its own steps change what it works on", (t) => {
  const { actor, ask, load, settle } = stage();
  load();
  const takes = (type: string, more: object = {}) =>
    actor.getSnapshot().can({ type, requestId: "x", ...changes[type], ...more } as never);
  for (const type of Object.keys(changes)) t.ok(takes(type), `${type} before`);
  ask("session.iterate", "first", iterate);
  for (const type of Object.keys(changes)) {
    t.notOk(takes(type), `${type} of the outside`);
    t.ok(takes(type, { replyTo: actor }), `${type} of a child: the loop, or a task of its`);
  }
  t.ok(takes("session.perform", { kind: "exec", args: {} }), "the outside may look");
  t.ok(takes("session.call", { tool: "echo", input: {}, limitMs: 1 }), "and call");
  actor.send({ type: "session.cancel_iteration" });
  for (const type of Object.keys(changes)) t.ok(takes(type), `${type} afterwards`);
  ask("session.iterate", "second", iterate);
  t.notOk(takes("session.apply_fix"), "nor in the next run");
  settle("inspect");
  t.notOk(takes("session.apply_fix"), "also later in the run");
  t.end();
});
