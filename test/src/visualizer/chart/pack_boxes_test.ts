import t from "tap";
import { packBoxes } from "../../../../src/visualizer/chart/pack_boxes.ts";

const size = (width: number, height: number) => ({ width, height });

t.test("one box is a picture of its own", (t) => {
  t.strictSame(packBoxes([size(100, 50)], 10), {
    boxes: [{ x: 0, y: 0, width: 100, height: 50 }],
    width: 100,
    height: 50,
  });
  t.end();
});

t.test("wide boxes go below each other, high ones beside each other", (t) => {
  t.strictSame(packBoxes([size(1000, 50), size(900, 50)], 10).boxes.map(({ x }) => x), [0, 0]);
  t.strictSame(packBoxes([size(50, 1000), size(50, 900)], 10).boxes.map(({ y }) => y), [0, 0]);
  t.end();
});

t.test("boxes get at least their size, keep their order, and cover nothing", (t) => {
  const sizes = Array.from(
    { length: 9 },
    (_, index) => size(100 + (index * 137) % 300, 60 + (index * 91) % 250),
  );
  const { boxes, width, height } = packBoxes(sizes, 10);
  for (const [index, box] of boxes.entries()) {
    t.ok(box.width >= sizes[index]!.width && box.height >= sizes[index]!.height);
    t.ok(
      box.x >= 0 && box.y >= 0 && box.x + box.width <= width + 0.01 && box.y + box.height <= height + 0.01,
    );
    for (const other of boxes.slice(index + 1)) {
      t.ok(
        box.x + box.width + 9 < other.x || other.x + other.width + 9 < box.x ||
          box.y + box.height + 9 < other.y ||
          other.y + other.height + 9 < box.y,
      );
    }
  }
  t.end();
});

t.test("a list of many regions is packed before the test's time is up: not every order is tried", (t) => {
  t.equal(packBoxes(Array.from({ length: 30 }, () => size(200, 100)), 10).boxes.length, 30);
  t.end();
});
