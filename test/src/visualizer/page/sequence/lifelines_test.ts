import t from "tap";
import {
  actorsOf,
  columnWindow,
  outsideWidth,
  placeLifelines,
  timeMargin,
} from "../../../../../src/visualizer/page/sequence/lifelines.ts";

const name = (actor: string) => ({ actor, id: `name of ${actor}` });
const row = (source: string | undefined, target: string) => ({
  position: 1,
  at: 0,
  target: name(target),
  type: "t",
  gist: "",
  trouble: false,
  ignored: false,
  settled: 1,
  ...(source === undefined ? {} : { source: name(source) }),
});
const ids = (actors: { actor: string }[]) => actors.map(({ actor }) => actor);

t.test("senders, receivers and the selected actor have a line each, oldest first", (t) => {
  const actors = actorsOf([row("x:10", "x:2"), row(undefined, "x:2"), row("x:2", "x:10")], [name("x:9")]);
  t.same(ids(actors), ["x:2", "x:9", "x:10"]);
  t.end();
});

t.test("work has no line of its own: its end is drawn at the actor that invoked it", (t) => {
  const done = row("x:3", "x:2");
  const ended = { ...done, source: { actor: "x:3", id: "0.connection.connecting" } };
  t.same(ids(actorsOf([ended], [])), ["x:2"]);
  t.same(ids(actorsOf([done], [])), ["x:2", "x:3"], "a machine that tells its parent has one");
  t.end();
});

t.test("no events, no lines", (t) => {
  t.same(actorsOf([], []), []);
  t.equal(placeLifelines([], 600).width, 600);
  t.end();
});

t.test("columns share the room, and take more where it is too little", (t) => {
  const few = placeLifelines([name("a"), name("b")], 500);
  t.equal(few.width, 500);
  t.ok(few.lines[0]!.x > timeMargin + outsideWidth && few.lines[1]!.x < 500);
  const many = placeLifelines(Array.from({ length: 40 }, (_, index) => name(`x:${index}`)), 500);
  t.ok(many.width > 500 && many.lines.at(-1)!.x < many.width);
  t.ok(many.column >= 80, "names stay readable");
  t.end();
});

t.test("scrolling by a row keeps the columns", (t) => {
  t.same(columnWindow({ from: 21, to: 39 }), columnWindow({ from: 22, to: 40 }));
  const { from, to } = columnWindow({ from: 35, to: 61 });
  t.ok(from <= 35 && to >= 61, "all rows in sight are in it");
  t.end();
});
