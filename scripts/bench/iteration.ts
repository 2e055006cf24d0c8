/** One turn of the loop (test, diagnose, fix, reload, retest, record) beside the plain calls and the restart in it. */
import { Client } from "@modelcontextprotocol/sdk/client";
// @ts-types="@modelcontextprotocol/sdk/client/stdio"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { createHarness } from "../../src/app/create_harness.ts";
import { runCommand } from "../../src/platform/process.ts";
import { benchServer, useTests } from "./session.ts";
import { type Row, time } from "./table.ts";

const rounds = 5;
/** Of a hundred tests this many fail, in tools of their own. */
const failing = 10;

export async function measureIteration(): Promise<Row[]> {
  const folder = await Deno.makeTempDir({ prefix: "pth-bench-" });
  try {
    await makeRepository(folder);
    const few = await measure(folder, 100);
    const many = await measure(folder, 400);
    return [
      {
        what: "an iteration with 100 tests, 10 of them failing",
        value: few.whole,
        unit: "ms",
        plain: { tool: "200 bare calls and a restart", value: few.plain },
      },
      { what: "of it PTH's own part", value: few.whole - few.plain, unit: "ms", target: "< 1000 ms" },
      {
        what: "growth per test, 100 → 400 tests",
        value: (many.whole / 400) / (few.whole / 100),
        unit: "×",
        target: "linear",
      },
    ];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The bench server as a plugin with a commit. */
export async function makeRepository(folder: string): Promise<void> {
  await Deno.copyFile(benchServer, `${folder}/server.mjs`);
  const manifest = { name: "bench", version: "1.0.0", type: "module", bin: { bench: "server.mjs" } };
  await Deno.writeTextFile(`${folder}/package.json`, JSON.stringify(manifest));
  const git = (...args: string[]) => runCommand(["git", "-C", folder, ...args]);
  await git("init", "-q", "-b", "main");
  await git("add", "-A");
  await git("-c", "user.name=bench", "-c", "user.email=bench@example.com", "commit", "-qm", "Begin");
}

async function measure(folder: string, tests: number): Promise<{ whole: number; plain: number }> {
  const harness = await createHarness();
  try {
    const command = ["node", "server.mjs", String(tests)];
    await harness.startSession({ target: folder, command }, { mode: "session" });
    const session = harness.session();
    await session.environment.provision({ runtime: "host" });
    await session.plugin.load({});
    await useTests(harness, tests, tests, failing);
    let round = 0;
    const whole = await time(rounds, async () => {
      await session.loop.run({});
      const edits = [{ path: "notes.md", content: `Round ${round++}.\n` }];
      await session.loop.run({ fixes: [{ tests: [], title: "change something", edits }] });
    });
    return { whole, plain: await plainIteration(tests) };
  } finally {
    await harness.close();
  }
}

/** What nobody can do without: a server that starts anew, and every test's call, before and after. */
const plainIteration = (tests: number): Promise<number> =>
  time(rounds, async () => {
    const client = new Client({ name: "bench", version: "1" });
    await client.connect(new StdioClientTransport({ command: "node", args: [benchServer, String(tests)] }));
    await client.listTools();
    for (let at = 0; at < 2 * tests; at++) {
      const name = `echo_${at % tests}`;
      await client.callTool({ name, arguments: { text: `hello ${at}` } });
    }
    await client.close();
  });
