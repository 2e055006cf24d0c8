import t from "tap";
import { arrowOf, fromOutside, gapBefore } from "../../../../../src/visualizer/page/sequence/arrow.ts";
import { placeLifelines } from "../../../../../src/visualizer/page/sequence/lifelines.ts";

const name = (actor: string) => ({ actor, id: actor });
const lifelines = placeLifelines(["a", "b", "c"].map(name), 900);
const sight = { left: 0, right: 900 };
const xOf = (actor: string) => lifelines.lines.find((line) => line.actor === actor)!.x;
const startOf = (path: string) => Number(path.match(/^M([\d.]+)/)?.[1]);

t.test("an arrow runs from sender to receiver, with its text at its left end", (t) => {
  const back = arrowOf({ source: name("c"), target: name("a") }, lifelines, sight);
  t.equal(startOf(back!.path), xOf("c"));
  t.ok(Math.abs(startOf(back!.head) - xOf("a")) <= 1);
  t.same(back!.text, { x: xOf("a") + 8, anchor: "start" });
  t.equal(back!.beyond, undefined);
  t.end();
});

t.test("what comes from outside begins at the left edge; an event to oneself is a loop", (t) => {
  t.equal(startOf(arrowOf({ target: name("b") }, lifelines, sight)!.path), fromOutside);
  const loop = arrowOf({ source: name("b"), target: name("b") }, lifelines, sight);
  t.match(loop!.path, /^M[\d.]+ [\d.]+h.*q/);
  t.end();
});

t.test("near the right edge the text ends there", (t) => {
  const arrow = arrowOf({ source: name("c"), target: name("c") }, lifelines, {
    left: 0,
    right: xOf("c") + 60,
  });
  t.equal(arrow!.text.anchor, "end");
  t.ok(arrow!.letters > 20);
  t.end();
});

t.test("the text of an arrow that is scrolled out of sight stays, and points to it", (t) => {
  const wide = placeLifelines(Array.from({ length: 40 }, (_, index) => name(`x:${index}`)), 600);
  const right = arrowOf({ source: name("x:30"), target: name("x:31") }, wide, { left: 0, right: 600 });
  t.equal(right!.beyond, "right");
  t.ok(right!.text.x < 600);
  const left = arrowOf({ source: name("x:1"), target: name("x:0") }, wide, { left: 2000, right: 2600 });
  t.equal(left!.beyond, "left");
  t.ok(left!.text.x > 2000);
  t.end();
});

t.test("an actor without a line has no arrow", (t) => {
  t.equal(arrowOf({ source: name("a"), target: name("elsewhere") }, lifelines, sight), undefined);
  t.end();
});

t.test("only silence that one notices is shown", (t) => {
  t.equal(gapBefore(500, undefined), undefined, "nothing is before the first event");
  t.equal(gapBefore(500, 480), undefined);
  t.equal(gapBefore(1500, 500), 1000);
  t.end();
});
