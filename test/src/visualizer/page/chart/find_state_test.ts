import t from "tap";
import {
  adjacentState,
  allStates,
  eventsOf,
  findState,
  highlightedStates,
  innermostStates,
  shownStates,
  transitionsOf,
  withoutMachine,
} from "../../../../../src/visualizer/page/chart/find_state.ts";
import {
  type Chart,
  type ChartState,
  type ChartTransition,
} from "../../../../../src/visualizer/chart/chart.ts";

const state = (id: string, children: ChartState[] = []): ChartState => ({
  id,
  key: id.slice(id.lastIndexOf(".") + 1),
  kind: children.length > 0 ? "compound" : "atomic",
  entry: [],
  exit: [],
  invokes: [],
  children,
});
const transition = (source: string, event: string, index = 0): ChartTransition => ({
  id: `${source}|${event}|${index}`,
  kind: event === "" ? "always" : "event",
  source,
  event,
  label: event,
  targets: [],
  actions: [],
  reenter: false,
});
const chart: Chart = {
  machine: "m",
  summary: "",
  root: state("m", [state("m.a", [state("m.a.x"), state("m.a.y")]), state("m.b")]),
  transitions: [
    transition("m.a", "go"),
    transition("m.a", "go", 1),
    transition("m.a", ""),
    transition("m.a.x", "stop"),
  ],
};
const box = (x: number, y: number) => ({ x, y, width: 10, height: 10 });

t.test("states are found at any depth, outer ones first", (t) => {
  t.same(allStates(chart.root).map(({ id }) => id), ["m", "m.a", "m.a.x", "m.a.y", "m.b"]);
  t.equal(findState(chart, "m.a.y")?.key, "y");
  t.equal(findState(chart, "m.c"), undefined);
  t.end();
});

t.test("a state's transitions are not those of its children; what it hears is listed once, always left out", (t) => {
  t.same(transitionsOf(chart, "m.a").map(({ id }) => id), ["m.a|go|0", "m.a|go|1", "m.a||0"]);
  t.same(eventsOf(chart, "m.a"), ["go"]);
  t.same(eventsOf(chart, "m.b"), []);
  t.end();
});

t.test("of a folded state the fold is lit, once", (t) => {
  const boxes = { m: box(0, 0), "m.a": box(0, 0) };
  t.same(shownStates(["m", "m.a", "m.a.x", "m.a.y"], boxes), ["m", "m.a"]);
  t.same(shownStates(["other.state"], boxes), [], "a state of another machine is nowhere");
  t.end();
});

t.test("an arrow key goes to the nearest state that way, and nowhere from the last", (t) => {
  const boxes = {
    left: box(0, 0),
    right: box(100, 5),
    far: box(300, 0),
    below: box(0, 80),
    aslant: box(60, 200),
  };
  t.equal(adjacentState("left", "right", boxes), "right");
  t.equal(adjacentState("right", "right", boxes), "far");
  t.equal(adjacentState("left", "down", boxes), "below");
  t.equal(adjacentState("far", "right", boxes), undefined);
  t.equal(adjacentState("gone", "right", boxes), undefined);
  t.end();
});

t.test("a value lights all states around where the machine is", (t) => {
  t.same(highlightedStates("pool", "serving"), ["pool", "pool.serving"]);
  t.same(highlightedStates("connection", { open: "idle" }), [
    "connection",
    "connection.open",
    "connection.open.idle",
  ]);
  t.end();
});

t.test("each of the regions side by side is lit", (t) => {
  const value = { running: { clock: "ticking", work: { acting: "waiting" } } };
  t.same(innermostStates(highlightedStates("test", value)), [
    "test.running.clock.ticking",
    "test.running.work.acting.waiting",
  ]);
  t.end();
});

t.test("a region without states of its own is lit itself", (t) => {
  t.same(highlightedStates("m", { on: { left: {}, right: "a" } }), [
    "m",
    "m.on",
    "m.on.left",
    "m.on.right",
    "m.on.right.a",
  ]);
  t.end();
});

t.test("work has no value, and lights nothing", (t) => {
  t.same(highlightedStates("session", undefined), []);
  t.same(innermostStates([]), []);
  t.end();
});

t.test("a state that begins like another one is not inside it", (t) => {
  t.same(innermostStates(["m", "m.stop", "m.stopping"]), ["m.stop", "m.stopping"]);
  t.end();
});

t.test("people read a state without its machine, and the machine itself by its name", (t) => {
  t.equal(withoutMachine("session.open.environment"), "open.environment");
  t.equal(withoutMachine("session"), "session");
  t.end();
});
