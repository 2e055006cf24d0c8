import t from "tap";
import { indexAt, scrollTopOf, windowOf } from "../../../../../src/visualizer/page/parts/virtual_list.tsx";

const short = { count: 100, rowHeight: 20, height: 400 };
const long = { count: 1_000_000, rowHeight: 20, height: 400 };

t.test("rows in sight are drawn where they belong", (t) => {
  t.same(windowOf(short, 0), { from: 0, to: 21, shift: 0, total: 2000 });
  t.same(windowOf(short, 210), { from: 10, to: 32, shift: 200, total: 2000 });
  t.equal(windowOf(short, 1600).to, 100);
  t.end();
});

t.test("a list that fits begins at its first row, wherever it was scrolled to", (t) => {
  t.same(windowOf({ ...short, count: 3 }, 700), { from: 0, to: 3, shift: 0, total: 60 });
  t.same(windowOf({ ...short, count: 0 }, 0), { from: 0, to: 0, shift: 0, total: 0 });
  t.end();
});

t.test("a million rows have a height that browsers can scroll, and every row can be reached", (t) => {
  const { total } = windowOf(long, 0);
  t.ok(total <= 8_000_000);
  const end = windowOf(long, total - long.height);
  t.equal(end.to, long.count);
  t.equal(end.shift + (end.to - end.from) * 20, total, "the last row ends where the list does");
  for (const index of [0, 1, 499_999, 999_980]) {
    t.ok(Math.abs(indexAt(long, scrollTopOf(long, index)) - index) < 1e-6, `row ${index}`);
  }
  t.end();
});
