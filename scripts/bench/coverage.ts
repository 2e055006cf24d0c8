/** What measuring coverage test by test costs a suite. */
import { join } from "node:path";
import { createHarness } from "../../src/app/create_harness.ts";
import { copyFile, makeTempDir, remove, writeTextFile } from "../../src/platform/files.ts";
import { benchServer, useTests } from "./session.ts";
import { median, type Row, time } from "./table.ts";

const tests = 200;
const tools = 20;
const rounds = 5;

export async function measureCoverage(): Promise<Row[]> {
  const folder = await makeTempDir({ prefix: "pth-bench-coverage-" });
  await copyFile(benchServer, join(folder, "server.mjs"));
  await writeTextFile(join(folder, "package.json"), '{"name":"bench","version":"1.0.0","type":"module"}\n');
  const harness = await createHarness();
  try {
    const command = ["node", "server.mjs", String(tools)];
    await harness.startSession({ target: folder, command, build: "", install: "" }, { mode: "run" });
    const session = harness.session();
    await session.environment.provision({ runtime: "host" });
    await session.plugin.load({});
    await useTests(harness, tests, tools);
    const plain: number[] = [];
    const measured: number[] = [];
    for (let round = 0; round < rounds; round++) {
      await session.plugin.load({ coverage: false });
      await useTests(harness, tests, tools);
      plain.push(await time(1, () => session.tests.runSuite({ workers: 1 })));
      await session.plugin.load({ coverage: true });
      await useTests(harness, tests, tools);
      measured.push(await time(1, () => session.tests.runSuite({ workers: 1, coverage: true })));
    }
    return [{
      what: `${tests} tests on one instance, measured`,
      value: median(measured),
      unit: "ms",
      plain: { tool: "not measured", value: median(plain) },
    }];
  } finally {
    await harness.close();
    await remove(folder, { recursive: true });
  }
}
