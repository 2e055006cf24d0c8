import t from "tap";
import { densityPath, marksPath, timeFraction } from "../../../../../src/visualizer/page/time_bar/track.tsx";
import { nearestError } from "../../../../../src/visualizer/page/time_bar/step_by.ts";

const trouble = [10, 20, 20, 30].map((position) => ({
  position,
  at: position,
  actor: { actor: "x:0", id: "harness" },
  text: "",
}));

t.test("a jump leads to the next trouble, and from the last to the first again", (t) => {
  t.equal(nearestError(trouble, 10, 1)?.position, 20);
  t.equal(nearestError(trouble, 25, -1)?.position, 20);
  t.equal(nearestError(trouble, 30, 1)?.position, 10);
  t.equal(nearestError(trouble, 10, -1)?.position, 30);
  t.equal(nearestError([], 10, 1), undefined);
  t.end();
});

t.test("times that nothing happened in have no bar, and one event is still seen beside very many", (t) => {
  t.equal(densityPath([0, 0]), "");
  t.equal(densityPath([]), "");
  const bars = densityPath([1, 0, 10_000]).split("z").filter(Boolean);
  t.equal(bars.length, 2);
  t.match(bars[0], /v6h/);
  t.match(bars[1], /v90h/);
  t.end();
});

t.test("marks that would cover each other are one", (t) => {
  const marks = (times: number[]) => marksPath(times, 1000).split("z").length - 1;
  t.equal(marks([1, 1.2, 1.4, 500]), 2);
  t.equal(marks([]), 0);
  t.end();
});

t.test("a recording without any length has its only moment at the end", (t) => {
  t.equal(timeFraction(0, 0), 1);
  t.equal(timeFraction(-5, 10), 0);
  t.equal(timeFraction(50, 10), 1);
  t.end();
});
