/** How cost grows with the number of tests, with 200 tools: time per test, and what the process occupies. */
import process from "node:process";
import { startSession, useTests } from "./session.ts";
import { type Row, time } from "./table.ts";

const tools = 200;

export async function measureSize(): Promise<Row[]> {
  const harness = await startSession(tools);
  const rows: Row[] = [];
  let base: { count: number; perTest: number } | undefined;
  for (const count of [250, 500, 1000, 2000]) {
    await useTests(harness, count, tools);
    const taken = await time(3, () => harness.session().runSuite({ workers: 1 }));
    const perTest = taken / count;
    base ??= { count, perTest };
    rows.push({
      what: `${count} tests, ${tools} tools: per test`,
      value: perTest,
      unit: "ms",
      plain: { tool: `at ${base.count}`, value: base.perTest },
      target: "linear: 1×",
    });
    rows.push({
      what: `${count} tests, ${tools} tools: resident`,
      value: process.memoryUsage().rss / 1024 / 1024,
      unit: "MB",
      ...(count === 1000 ? { target: "< 250 MB" } : {}),
    });
  }
  await harness.close();
  return rows;
}
