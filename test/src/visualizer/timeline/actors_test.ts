import t from "tap";
import { actorsAt } from "../../../../src/visualizer/timeline/actors.ts";
import { fromLines } from "./recorded.ts";
import { actor, event, snapshot } from "./written_recording.ts";

/** A plugin whose build is done, whose pool loses a connection, and a connection that opens in its place. */
const story = await fromLines([
  actor(0, "x:0", "x:0", { machine: "plugin" }), // 1
  event(0, "x:0", "xstate.init"),
  snapshot(1, "x:0", "building"), // 3
  actor(2, "x:1", "0.plugin.building", { parent: "x:0", slot: "build" }),
  snapshot(9, "x:1", undefined, { status: "done" }), // 5
  event(10, "x:0", "xstate.done.actor.0.plugin.building", {}, "x:1"),
  actor(11, "x:2", "pool", { parent: "x:0", machine: "pool" }),
  actor(12, "x:3", "connection-1", { parent: "x:2", machine: "connection" }),
  snapshot(13, "x:3", { open: "idle" }),
  actor(14, "x:4", "0.connection.open", { parent: "x:3", slot: "watch" }), // 10
  event(15, "x:3", "connection.call", {}, "x:0"),
  actor(16, "x:5", "0.connection.open.calling", { parent: "x:3", slot: "call" }),
  snapshot(17, "x:3", { open: "calling" }, { taken: ["connection.open.idle|connection.call|0"] }), // 13
  snapshot(18, "x:4", undefined, { status: "done" }),
  event(18, "x:3", "xstate.done.actor.0.connection.open", {}, "x:4"),
  snapshot(19, "x:5", undefined, { status: "stopped" }),
  event(20, "x:2", "connection.lost", {}, "x:3"),
  snapshot(21, "x:3", "closing", {
    taken: ["connection.open|xstate.done.actor.0.connection.open|0", "connection.lost||0"],
  }), // 18
  snapshot(22, "x:2", "serving"),
  event(23, "x:2", "pool.resize", {}, "x:0"), // 20
  snapshot(24, "x:2", "serving"),
  snapshot(3000, "x:3", "closed", { status: "done" }), // 22
]);
const at = (position: number, ended?: number) =>
  actorsAt(story.index, position, ended === undefined ? {} : { ended });
const health = (position: number) => at(position).map(({ id, health }) => `${id} ${health}`);

t.test("at each position there are those that live, parents first, with what they heard by then", (t) => {
  t.same(at(0), []);
  t.match(at(3), [{
    actor: "x:0",
    id: "plugin",
    machine: "plugin",
    value: "building",
    heard: 1,
    children: 0,
  }]);
  t.same(at(10).map(({ id }) => id), ["plugin", "pool", "connection-1", "0.connection.open"]);
  t.match(at(13), [
    { heard: 2, children: 1 },
    { children: 1 },
    { value: { open: "calling" }, children: 2 },
    {},
    {},
  ]);
  t.notOk("value" in at(10)[1]!, "a state that is not told yet is absent");
  t.end();
});

t.test("those that ended a short while ago are there when asked for", (t) => {
  t.same(at(10, 5).map(({ id }) => id), [
    "plugin",
    "0.plugin.building",
    "pool",
    "connection-1",
    "0.connection.open",
  ]);
  t.match(at(10, 5)[1], { status: "done", health: "ended", startedAt: 2, endedAt: 9 });
  t.same(at(10, 4).map(({ id }) => id), ["plugin", "pool", "connection-1", "0.connection.open"]);
  t.end();
});

t.test("who waits for work of its very state waits; a watch beside it does not count", (t) => {
  t.same(health(4), ["plugin waiting", "0.plugin.building well"]);
  t.match(health(10), ["plugin well", "pool well", "connection-1 well"]);
  t.match(health(13), ["plugin well", "pool well", "connection-1 waiting"]);
  t.end();
});

t.test("failures show in who heard of them, who came through them, and all above", (t) => {
  t.same(health(17), ["plugin failing", "pool failing", "connection-1 well"]);
  t.same(health(21), ["plugin failing", "pool failing", "connection-1 failing"], "closing, having been lost");
  t.same(health(22), ["plugin well", "pool well"], "what has ended troubles nobody any more");
  t.end();
});

t.test("an actor does not outlive its parent, though nothing tells its end", async (t) => {
  const { index } = await fromLines([
    actor(0, "x:0", "session", { machine: "session" }),
    actor(1, "x:1", "plugin", { machine: "plugin", parent: "x:0" }),
    actor(2, "x:2", "0.plugin.planning", { slot: "plan", parent: "x:1" }),
    snapshot(3, "x:1", "failed", { status: "error", error: "fault" }),
  ]);
  t.same(actorsAt(index, 4).map(({ id }) => id), ["session"]);
  t.match(actorsAt(index, 4, { ended: 100 }), [
    {},
    { id: "plugin", health: "failing", status: "error", endedAt: 3 },
    { id: "0.plugin.planning", health: "ended", endedAt: 3 },
  ]);
});
