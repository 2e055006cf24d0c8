import type { CpuInfo } from "node:os";
import t from "tap";
import { measureProcessors } from "../../../scripts/testing/processor_use.ts";
import { describeUse } from "../../../scripts/testing/report.ts";

const processor = (user: number, sys: number, idle: number): CpuInfo => ({
  ...{ model: "", speed: 0 },
  times: { user, nice: 0, sys, irq: 0, idle },
});

t.test("the use of all processors since the beginning is told, and how long some jobs were the last", (t) => {
  const readings = [
    [processor(1000, 1000, 1000), processor(0, 0, 0)],
    [processor(1500, 1200, 1100), processor(100, 0, 100)],
  ];
  const use = measureProcessors(() => readings.shift()!)();
  t.same(use, { programs: 0.6, kernel: 0.2, idle: 0.2 });
  t.equal(
    describeUse(use, 3, 12_345),
    "Processors: 60 % programs, 20 % kernel, 20 % idle; fewer than 3 jobs for the last 12 s",
  );
  t.end();
});

t.test("a run too short to be measured divides by nothing", (t) => {
  const use = measureProcessors(() => [processor(5, 5, 5)])();
  t.same(use, { programs: 0, kernel: 0, idle: 0 });
  t.end();
});
