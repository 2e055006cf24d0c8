/** What a long session holds in memory: 500 tests, 50 iterations with a fix each, some tests failing, some flaky. */
import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createHarness } from "../../src/app/create_harness.ts";
import { openTestHistory } from "../../src/testing/run/test_history.ts";
import { makeRepository } from "./iteration.ts";
import { useTests } from "./session.ts";
import { type Row, time } from "./table.ts";

const tests = 500;
const tools = 100;
const failing = 20;
const iterations = 50;

const megabytes = () => process.memoryUsage().rss / 1024 / 1024;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
/** What is held: the rest of what is resident is room that the engine has not given back. */
function held(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}

export async function measureHistory(): Promise<Row[]> {
  const folder = await Deno.makeTempDir({ prefix: "pth-bench-" });
  const harness = await createHarness();
  try {
    await makeRepository(folder);
    const command = ["node", "server.mjs", String(tools)];
    await harness.startSession({ target: folder, command }, { mode: "session" });
    const session = harness.session();
    await session.environment.provision({ runtime: "host" });
    await session.plugin.load({});
    await useTests(harness, tests, tools, failing);
    const heldBefore = held();
    const before = megabytes();
    for (let round = 0; round < iterations; round++) {
      await session.loop.run({});
      const edits = [{ path: "notes.md", content: `Round ${round}.\n` }];
      await session.loop.run({ fixes: [{ tests: [], title: "change something", edits }] });
    }
    const after = megabytes();
    const heldAfter = held();
    const { folder: key, name } = session.info().source;
    const open = await time(5, () => openTestHistory({ name, key: `${key}\0`, folder: key! }));
    return [
      {
        what: `${tests} tests × ${iterations} iterations: growth of what is resident`,
        value: after - before,
        unit: "MB",
        target: "< 200 MB",
      },
      { what: "of it held after garbage collection", value: heldAfter - heldBefore, unit: "MB" },
      { what: "all of the process then", value: after, unit: "MB" },
      { what: "reading the history of all those runs", value: open, unit: "ms" },
    ];
  } finally {
    await harness.close();
    await Deno.remove(folder, { recursive: true });
  }
}
