import t from "tap";
import { type AnyStateMachine, fromCallback, fromPromise, setup } from "xstate";
import {
  connectionMachine,
  type OpenedConnection,
  type OpenInput,
} from "../../../../machines/connection_machine.ts";
import type { CloseReport, ConnectionLoss } from "../../../../machines/model/plugin.ts";
import { actorDetail } from "../../../../src/visualizer/timeline/actor_detail.ts";
import { actorsAt } from "../../../../src/visualizer/timeline/actors.ts";
import { findMachine } from "../../../../src/visualizer/timeline/active_states.ts";
import { findErrorMarks } from "../../../../src/visualizer/timeline/find_error_marks.ts";
import { fromLines, type Recorded, recorded, settle } from "./recorded.ts";
import { actor, event, snapshot } from "./written_recording.ts";

const loss: ConnectionLoss = {
  reason: "exited",
  exitCode: 3,
  signal: null,
  stderrTail: "starting\nTypeError: x is not a function\n",
  message: "",
};

/** A pool's place with one real connection in it; its server answers nothing, and dies when `crash` is called. */
function stage() {
  let crash!: () => void;
  const dead = new Promise<ConnectionLoss>((resolve) => crash = () => resolve(loss));
  const connection = connectionMachine.provide({
    actors: {
      open: fromPromise<OpenedConnection, OpenInput>(() =>
        Promise.resolve({
          server: { name: "s", version: "1", protocolVersion: "x", capabilities: {} },
          pid: 1,
          tools: [],
        })
      ),
      watch: fromPromise(() => dead),
      call: fromCallback(() => {}),
      close: fromPromise<CloseReport, { connectionId: string }>(() => new Promise(() => {})),
    },
  });
  const pool = setup({ actors: { connection } }).createMachine({
    context: ({ spawn }) => ({
      connection: spawn("connection", {
        id: "connection-2",
        input: { connectionId: "connection-2", instance: 0, plan: {} as never },
      }),
    }),
  });
  const call = { type: "connection.call", callId: "c", tool: "add", input: { a: 1 }, caller: undefined };
  return { pool, call, crash };
}

const detail = (
  { index, answers, end, actor }: Recorded,
  id: string,
  { position = end, ...options }: { position?: number; now?: number; machines?: typeof findMachine } = {},
) => actorDetail(index, answers, actor(id).actor, position, options);

/** Explains a machine of the test's own, that stands at the root. */
const explainOwn = async (machine: AnyStateMachine, story: Recorded, now?: number) => {
  const { index, answers, end } = story;
  const machines = () => machine;
  return await actorDetail(index, answers, index.actors[0]!.actor, end, {
    machines,
    ...(now === undefined ? {} : { now }),
  });
};

t.test("a call that hangs is told with its state, its work, and what it waits for", async (t) => {
  const { pool, call } = stage();
  const story = await recorded(pool, async (root) => {
    await settle();
    root.getSnapshot().context.connection.send(call);
    await settle();
  });
  const last = story.index.at(story.end - 1);
  const told = await detail(story, "connection-2", { now: last + 12_400 });
  t.equal(told.explanation.summary, 'In open.calling for 12 s, waiting for "call" (12 s): add {"a":1}.');
  t.equal(told.health, "waiting");
  t.match(told.explanation.pending, [{ slot: "watch" }, { slot: "call", given: 'add {"a":1}' }]);
  t.ok(told.explanation.pending.every(({ ageMs }) => ageMs >= 12_399 && ageMs < 13_400));
  t.match(told.explanation.waitsFor[0], { state: "connection.open.calling" });
  t.ok(told.explanation.waitsFor[0]!.events.includes("call.completed"));
  t.equal(told.explanation.waitsFor[1]!.state, "connection.open", "states around come later");
  t.match(told.explanation.last[0], { type: "connection.call", gist: 'add {"a":1}', ignored: false });
  t.same(told.explanation.taken, ["connection.open.idle|connection.call|0"]);
  t.match(told.context, { connectionId: "connection-2", current: { call: { tool: "add" } } });
  const work = await detail(story, "0.connection.open.calling", { now: last + 12_400 });
  const above = await actorDetail(story.index, story.answers, story.index.actors[0]!.actor, story.end);
  t.match(above.explanation.summary, "At work below it: connection-2.", "it is found from above");
  t.equal(work.explanation.summary, '"call" for connection-2 has been running for 12 s.');
});

t.test("a watch that runs beside it is nothing that an idle connection waits for", async (t) => {
  const story = await recorded(stage().pool, () => settle());
  const told = await detail(story, "connection-2");
  t.equal(told.health, "well");
  t.match(
    told.explanation.summary,
    /Waits for connection\.call, connection\.perform or connection\.close\b/,
  );
});

t.test("a lost connection says what was lost, and why, with exit code and last words", async (t) => {
  const { pool, call, crash } = stage();
  const story = await recorded(pool, async (root) => {
    await settle();
    root.getSnapshot().context.connection.send(call);
    crash();
    await settle();
  });
  const told = await detail(story, "connection-2");
  t.match(
    told.explanation.summary,
    /^In closing for .+ waiting for "close" .+ The server was lost: exited with 3: TypeError: x is not a function\. The timer "closing" goes off in 30 s\.$/,
  );
  t.equal(told.health, "failing", "it came through a state that is named so");
  const [trouble, ...more] = await findErrorMarks(story.index, story.answers)();
  t.match(trouble, {
    actor: { id: "connection-2" },
    text: "connection.lost: exited with 3: TypeError: x is not a function",
  });
  t.same(more, []);
  const before = await detail(story, "connection-2", { position: trouble!.position });
  t.match(
    before.explanation.summary,
    /In open\.calling for .* Just now: "watch" is done \(exited with 3: TypeError/,
  );
  const [root] = actorsAt(story.index, story.end);
  t.equal(root!.health, "failing", "what goes wrong below it is its trouble, too");
});

t.test("an event that a guard refused, and what goes on by itself, is told", async (t) => {
  const machine = setup({ guards: { suiteIdle: () => false, isDone: () => false } }).createMachine({
    id: "m",
    initial: "ready",
    states: {
      ready: {
        on: { reload: { guard: "suiteIdle", target: "reloading" } },
        always: { guard: "isDone", target: "over" },
      },
      reloading: {},
      over: {},
    },
  });
  const story = await recorded(machine, (actor) => actor.send({ type: "reload" }));
  const told = await explainOwn(machine, story);
  t.match(
    told.explanation.summary,
    /"suiteIdle" refused reload .* ago and it goes on to over as soon as "isDone" holds\./,
  );
  t.match(told.explanation.refused, [
    { event: "reload", transition: "m.ready|reload|0", guard: "suiteIdle" },
    { event: "", transition: "m.ready||0", guard: "isDone" },
  ]);
});

t.test("timers tell what is left of them, where the delay is a number or the context has it", async (t) => {
  const machine = setup({
    types: { context: {} as { limitMs: number } },
    delays: {
      limit: ({ context }) => context.limitMs,
      odd: ({ event }) => (event as { ms?: number }).ms ?? 90_000,
    },
  }).createMachine({
    id: "m",
    context: { limitMs: 5000 },
    initial: "waiting",
    states: {
      waiting: {
        after: { limit: "over", 60000: "over", odd: "over" },
        on: { again: { target: "waiting", reenter: true } },
      },
      over: {},
    },
  });
  const story = await recorded(machine, async (actor) => {
    await settle(60);
    actor.send({ type: "again" });
  });
  const began = story.index.at(story.index.actors[0]!.snapshots.at(-1)!);
  const { timers, summary } = (await explainOwn(machine, story, began + 2000)).explanation;
  t.match(timers, [
    { event: "xstate.after.limit.m.waiting", state: "m.waiting", leftMs: 3000 },
    { event: "xstate.after.60000.m.waiting", leftMs: 58_000 },
    { event: "xstate.after.odd.m.waiting" },
  ], "entering a state again begins its timers anew");
  t.notOk("leftMs" in timers[2]!, "what nothing tells is left out");
  t.match(
    summary,
    /^In waiting for 2\.0 s\. The timer "limit" goes off in 3\.0 s, .* and the timer "odd" runs\./,
  );
});

const told = [
  actor(0, "x:0", "harness", { machine: "harness" }),
  event(1, "x:0", "xstate.init"),
  snapshot(2, "x:0", "dormant", { context: { session: 1 } }),
  event(3, "x:0", "harness.start"),
  snapshot(4, "x:0", "starting", { taken: ["harness.dormant|harness.start|0"], thinned: true }),
  actor(10, "x:1", "session", { parent: "x:0", machine: "session" }),
  actor(11, "x:2", "0.session.preparing", { parent: "x:1", slot: "prepareSource" }),
  snapshot(20, "x:2", undefined, { status: "error", error: "no such folder" }),
  snapshot(25, "x:1", "ended", { status: "done" }),
];

t.test("a context that was thinned away is absent, and an earlier one is there at its time", async (t) => {
  const story = await fromLines(told);
  const { context, contextAt } = await detail(story, "harness", { position: 3 });
  t.same([context, contextAt], [{ session: 1 }, 2]);
  const later = await detail(story, "harness");
  t.notOk("context" in later || "contextAt" in later);
  t.match(later.explanation.summary, "In starting for 21 ms.");
});

t.test("actors that ended say how, and when", async (t) => {
  const story = await fromLines(told);
  const work = await detail(story, "0.session.preparing");
  t.equal(work.explanation.summary, '"prepareSource" for session failed after 9 ms: no such folder.');
  t.match(work, { health: "failing", status: "error", error: "no such folder", endedAt: 20 });
  const session = await detail(story, "session", { now: 3025 });
  t.equal(session.explanation.summary, "Ended after 15 ms, 3.0 s ago.");
  t.match(session.explanation, { waitsFor: [], timers: [], pending: [] });
});

t.test("a test that failed says so by its verdict, and an error that was overcome is not told", async (t) => {
  const verdict = { status: "failed", category: "wrong-output", message: "3 is not 4\nmore" };
  const story = await fromLines([
    actor(0, "x:0", "plugin", { machine: "plugin" }),
    snapshot(1, "x:0", "ready", { context: { error: { error: "Cannot build: exited with 2" } } }),
    actor(2, "x:1", "test-0", { machine: "test", parent: "x:0" }),
    snapshot(9, "x:1", "finished", { status: "done", context: { verdict } }),
    snapshot(10, "x:0", "failed", { taken: ["plugin.starting|pool.failed|0"] }),
  ]);
  const summary = async (id: string, position: number) =>
    (await detail(story, id, { position })).explanation.summary;
  t.equal(
    await summary("test-0", 4),
    "Ended in finished after 7 ms, just now. Its verdict: failed, wrong-output, 3 is not 4.",
  );
  t.notMatch(await summary("plugin", 4), "Cannot build");
  t.match(await summary("plugin", 5), "Its error: Cannot build: exited with 2.");
});

t.test("an actor that has not begun, or that there never is, is refused with what to do", async (t) => {
  const story = await fromLines(told);
  await t.rejects(detail(story, "session", { position: 5 }), {
    code: "TARGET_NOT_FOUND",
    message: "Cannot show actor x:1: it begins later, at 10 ms",
    context: { startedAt: 10 },
  });
  await t.rejects(actorDetail(story.index, story.answers, "x:99", story.end), {
    code: "TARGET_NOT_FOUND",
    message: "Cannot show actor x:99: the recording has no such actor",
  });
});

t.test("a machine and a state that this version does not have are told as far as they go", async (t) => {
  const story = await fromLines([
    actor(0, "x:0", "robot", { machine: "robot" }),
    snapshot(1, "x:0", { arm: "lifted" }),
    actor(2, "x:1", "plugin", { machine: "plugin", parent: "x:0" }),
    snapshot(3, "x:1", "polishing"),
    actor(4, "x:2", "0.plugin.polishing", { slot: "polish", parent: "x:1" }),
  ]);
  t.equal(
    (await detail(story, "robot")).explanation.summary,
    'In {"arm":"lifted"}, with plugin (2 ms) under way. At work below it: plugin.',
  );
  t.match(await detail(story, "plugin"), {
    health: "waiting",
    explanation: { summary: 'In "polishing", waiting for "polish" (0 ms).', timers: [], refused: [] },
  });
});

t.test("of many regions those that have moved are told, and no list of all that a session may hear", async (t) => {
  const idle = { dependencies: "absent", suite: "idle", agentRun: "absent", branch: "idle" };
  const story = await fromLines([
    actor(0, "x:0", "session", { machine: "session" }),
    event(0, "x:0", "xstate.init"),
    snapshot(0, "x:0", { open: { environment: "ready", plugin: "loading", ...idle } }),
    actor(0, "x:1", "plugin", { machine: "plugin", parent: "x:0" }),
  ]);
  const told = await detail(story, "session", { now: 4000 });
  t.equal(
    told.explanation.summary,
    "In open.environment.ready for 4.0 s and open.plugin.loading for 4.0 s; 4 other regions rest where they began, " +
      "with plugin (4.0 s) under way. Nothing is at work below it: it may be waiting for its next command.",
  );
  t.notMatch((await detail(story, "session", { now: 100 })).explanation.summary, "Nothing is at work", "yet");
  t.ok(told.explanation.waitsFor.flatMap(({ events }) => events).length > 12, "the list has them all");
});

t.test("where a recording begins within, time in a state is told as the least it is", async (t) => {
  const story = await fromLines([
    actor(0, "x:0", "plugin", { machine: "plugin" }),
    snapshot(0, "x:0", "ready"),
    event(5000, "x:0", "plugin.cancel_reload"),
    snapshot(5000, "x:0", "ready"),
  ]);
  t.match((await detail(story, "plugin")).explanation.summary, "In ready for at least 5.0 s.");
});
