import t from "tap";
import { OperationTimings } from "../../../../src/actors/session/operation_timings.ts";

t.test("each operation tells how often it ran and how long it took", (t) => {
  const timings = new OperationTimings();
  t.same(timings.all(), {});
  timings.note("reload", 100.04);
  timings.note("build", 7);
  timings.note("reload", 50);
  t.same(timings.all(), {
    reload: { count: 2, lastMs: 50, totalMs: 150, longestMs: 100 },
    build: { count: 1, lastMs: 7, totalMs: 7, longestMs: 7 },
  });
  t.end();
});
