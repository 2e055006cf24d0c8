/** How cost grows with the number of tests, with 200 tools: time per test, and what the process occupies. */
import process from "node:process";
import { startSession, useTests } from "./session.ts";
import { type Row, time } from "./table.ts";

const tools = 200;

const megabytes = () => process.memoryUsage().rss / 1024 / 1024;

export async function measureSize(): Promise<Row[]> {
  const harness = await startSession(tools);
  await useTests(harness, 1000, tools);
  await harness.session().tests.runSuite({ workers: 1 });
  const rows: Row[] = [
    {
      what: `1000 tests, ${tools} tools, run once: resident`,
      value: megabytes(),
      unit: "MB",
      target: "< 250 MB",
    },
  ];
  let base: { count: number; perTest: number } | undefined;
  let runs = 1;
  for (const count of [250, 500, 1000, 2000]) {
    await useTests(harness, count, tools);
    const perTest = await time(3, () => harness.session().tests.runSuite({ workers: 1 })) / count;
    runs += 4;
    base ??= { count, perTest };
    rows.push({
      what: `${count} tests, ${tools} tools: per test`,
      value: perTest,
      unit: "ms",
      plain: { tool: `at ${base.count}`, value: base.perTest },
      target: "linear: 1×",
    });
  }
  rows.push({ what: `after ${runs} runs: resident`, value: megabytes(), unit: "MB" });
  await harness.close();
  return rows;
}
