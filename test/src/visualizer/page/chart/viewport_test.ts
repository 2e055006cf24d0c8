import t from "tap";
import {
  boundingBox,
  fitAll,
  fitBox,
  fitReadable,
  fitWidth,
  largestScale,
  leastScale,
  panBy,
  revealBox,
  zoomAt,
} from "../../../../../src/visualizer/page/chart/viewport.ts";

const frame = { width: 1000, height: 600 };
/** Where a point of the picture is in the frame. */
const place = (view: { x: number; y: number; scale: number }, x: number, y: number) => ({
  x: Math.round(x * view.scale + view.x),
  y: Math.round(y * view.scale + view.y),
});

t.test("a small picture is shown whole in the middle, and not enlarged", (t) => {
  const view = fitAll({ width: 200, height: 100 }, frame);
  t.equal(view.scale, 1);
  t.same(place(view, 100, 50), { x: 500, y: 300 });
  t.end();
});

t.test("a large picture is made smaller until all of it shows", (t) => {
  const view = fitAll({ width: 4000, height: 1000 }, frame);
  t.ok(place(view, 0, 0).x >= 0);
  t.ok(place(view, 4000, 1000).x <= frame.width);
  t.ok(place(view, 4000, 1000).y <= frame.height);
  t.end();
});

t.test("a high picture that fits by its width begins at its top", (t) => {
  const view = fitWidth({ width: 1952, height: 9000 }, frame);
  t.equal(view.scale, 0.5);
  t.ok(place(view, 0, 0).y > 0 && place(view, 0, 0).y < 40);
  t.end();
});

t.test("a part that is too large to be read whole shows its beginning", (t) => {
  const view = fitReadable({ x: 500, y: 700, width: 5000, height: 5000 }, frame, 0.6);
  t.equal(view.scale, 0.6);
  t.same(place(view, 500, 700), { x: 12, y: 12 });
  t.ok(
    fitReadable({ x: 0, y: 0, width: 500, height: 100 }, frame, 0.6).scale === 1,
    "a small one shows whole",
  );
  t.end();
});

t.test("zooming keeps what is under the pointer where it is, and ends at its limits", (t) => {
  const view = zoomAt({ x: 10, y: 20, scale: 1 }, 2, { x: 300, y: 200 });
  t.equal(view.scale, 2);
  t.same(place(view, 290, 180), { x: 300, y: 200 });
  t.equal(zoomAt(view, 1000, { x: 0, y: 0 }).scale, largestScale);
  t.equal(zoomAt(view, 0.0001, { x: 0, y: 0 }).scale, leastScale);
  t.end();
});

t.test("a picture cannot be dragged out of sight", (t) => {
  const picture = { width: 300, height: 200 };
  const away = panBy({ x: 0, y: 0, scale: 1 }, { x: -5000, y: 9000 }, picture, frame);
  t.ok(away.x + picture.width > 0, "a part of it is left");
  t.ok(away.y < frame.height);
  t.same(panBy({ x: 0, y: 0, scale: 1 }, { x: 5, y: -5 }, picture, frame), { x: 5, y: -5, scale: 1 });
  t.end();
});

t.test("what shows already is not moved; what does not comes in by the shortest way", (t) => {
  const view = { x: 0, y: 0, scale: 1 };
  t.equal(revealBox(view, { x: 50, y: 50, width: 100, height: 100 }, frame), view);
  const right = revealBox(view, { x: 1200, y: 50, width: 100, height: 100 }, frame);
  t.same(place(right, 1300, 50), { x: 988, y: 50 });
  const above = revealBox({ x: 0, y: -500, scale: 1 }, { x: 50, y: 50, width: 100, height: 100 }, frame);
  t.same(place(above, 50, 50), { x: 50, y: 12 });
  t.end();
});

t.test("a part larger than the frame shows its beginning, and stays where half of the frame shows it", (t) => {
  const large = { x: 2000, y: 0, width: 3000, height: 100 };
  t.equal(place(revealBox({ x: 0, y: 0, scale: 1 }, large, frame), 2000, 0).x, 12);
  const seen = { x: -2500, y: 20, scale: 1 };
  t.equal(revealBox(seen, large, frame), seen);
  t.end();
});

t.test("the box around none is none", (t) => {
  t.equal(boundingBox([]), undefined);
  t.same(boundingBox([{ x: 5, y: 5, width: 5, height: 5 }, { x: 0, y: 8, width: 2, height: 20 }]), {
    x: 0,
    y: 5,
    width: 10,
    height: 23,
  });
  t.equal(
    fitBox({ x: 0, y: 0, width: 0, height: 0 }, frame, 1.25).scale,
    1.25,
    "a point does not divide by 0",
  );
  t.end();
});
