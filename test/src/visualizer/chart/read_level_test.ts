import t from "tap";
import { withoutSwerves } from "../../../../src/visualizer/chart/read_level.ts";

const from = { x: 0, y: 0, width: 100, height: 40 };
const to = { x: 0, y: 200, width: 100, height: 40 };

t.test("a line that would swerve by two pixels goes straight on, where there is room by moving its end", (t) => {
  const middle = [{ x: 50, y: 40 }, { x: 50, y: 100 }, { x: 52, y: 100 }, { x: 52, y: 200 }];
  t.same(withoutSwerves(middle, from, to), [{ x: 52, y: 40 }, { x: 52, y: 200 }]);
  t.end();
});

t.test("beside a corner the rest of the line moves instead, to its other end or its next bend", (t) => {
  const cornered = { ...from, width: 59 };
  const toEnd = [{ x: 50, y: 40 }, { x: 50, y: 100 }, { x: 52, y: 100 }, { x: 52, y: 200 }];
  t.same(withoutSwerves(toEnd, cornered, to), [{ x: 50, y: 40 }, { x: 50, y: 200 }]);
  const toBend = [...toEnd.slice(0, 3), { x: 52, y: 150 }, { x: 90, y: 150 }, { x: 90, y: 200 }];
  t.same(withoutSwerves(toBend, cornered, to), [
    { x: 50, y: 40 },
    { x: 50, y: 150 },
    { x: 90, y: 150 },
    { x: 90, y: 200 },
  ]);
  t.end();
});

t.test("a line that turns by more, or has no room at either end, stays as it is", (t) => {
  const wide = [{ x: 50, y: 40 }, { x: 50, y: 100 }, { x: 60, y: 100 }, { x: 60, y: 200 }];
  t.same(withoutSwerves(wide, from, to), wide);
  const tight = [{ x: 50, y: 40 }, { x: 50, y: 100 }, { x: 52, y: 100 }, { x: 52, y: 200 }];
  t.same(withoutSwerves(tight, { ...from, width: 59 }, { ...to, x: 44 }), tight);
  t.end();
});
