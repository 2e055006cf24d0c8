// test: timeout=120
/** Coverage of a Deno server: its TypeScript, test by test, and what is told where Deno may tell nothing. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { createHarness } from "../../../src/app/create_harness.ts";
import type { Session } from "../../../src/api/harness.ts";
import { temporaryWorld, writeFiles } from "../../src/session/helpers.ts";

t.setTimeout(110_000);
const deno = fileURLToPath(new URL("../../../scripts/deno/node_modules/deno/deno", import.meta.url));

/** Types take lines of their own, so that lines of what runs are not lines of the source. */
const math = `export interface Numbers {
  a: number;
  b: number;
}

export function add({ a, b }: Numbers): number {
  if (a > 1000) {
    throw new RangeError("too large");
  }
  return a + b;
}

export type Sign = 1 | -1;

export function negate({ a }: Numbers): number {
  const sign: Sign = -1;
  return sign * a;
}

export function never(): void {
  console.error("never");
}
`;
const server = `import { createInterface } from "node:readline";
import process from "node:process";
import { add, negate, type Numbers } from "./math.ts";

type Call = { name: string; arguments: Numbers };
const number = { type: "number" };
const inputSchema = { type: "object", properties: { a: number, b: number }, required: ["a"] };
const answers: Record<string, (params: never) => unknown> = {
  initialize: ({ protocolVersion }: { protocolVersion: string }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "deno-math", version: "1" },
  }),
  "tools/list": () => ({ tools: ["add", "negate"].map((name) => ({ name, description: name + "s", inputSchema })) }),
  "tools/call": (call: Call) => ({
    content: [{ type: "text", text: String(call.name === "add" ? add(call.arguments) : negate(call.arguments)) }],
  }),
  ping: () => ({}),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result = answers[method]?.(params as never);
  const answer = result ? { result } : { error: { code: -32601, message: "no such method" } };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
}
`;

async function measured(t: Test, ...permissions: string[]): Promise<Session> {
  const { folder } = await temporaryWorld(t);
  const plugin = join(folder, "deno_math");
  const args = ["run", "--no-lock", "--no-prompt", ...permissions, "server.ts"];
  await writeFiles(plugin, {
    "deno.json": "{}\n",
    ".mcp.json": JSON.stringify({ mcpServers: { math: { command: deno, args } } }),
    "server.ts": server,
    "math.ts": math,
    ".pth/tests/add.yaml": "name: adds\ntool: add\ninput: { a: 1, b: 2 }\nexpect: { output_equals: '3' }\n",
    ".pth/tests/negate.yaml":
      "name: negates\ntool: negate\ninput: { a: 1 }\nexpect: { output_equals: '-1' }\n",
  });
  const harness = await createHarness();
  t.teardown(() => harness.close());
  await harness.startSession({ target: plugin }, { mode: "run" });
  const session = harness.session();
  await session.environment.provision({ runtime: "host" });
  await session.plugin.load({ coverage: true });
  t.match((await session.tests.runSuite({ coverage: true })).summary, { passed: 2, failed: 0 });
  return session;
}

t.test("a Deno server is measured in its TypeScript, test by test", async (t) => {
  const session = await measured(t, "--allow-all");
  const report = session.coverage.report();
  t.strictSame(report.notes, []);
  t.equal(report.collector, "v8");
  const { lines, functions } = report.files.find(({ path }) => path === "math.ts")!;
  const missed = Object.entries(lines).filter(([, hits]) => hits === 0).map(([line]) => Number(line));
  t.strictSame(missed, [8, 21], "the error branch, and the function that nobody calls");
  t.strictSame(functions.map(({ name, line, hits }) => [name, line, hits]), [
    ["add", 6, 1],
    ["negate", 15, 1],
    ["never", 20, 0],
  ]);
  const affected = async (line: number) =>
    (await session.coverage.impact({ files: [{ path: "math.ts", lines: [line] }] })).tests;
  t.strictSame([await affected(10), await affected(16), await affected(21)], [["adds"], ["negates"], []]);
});

t.test("where Deno may not look at its own process, that is said, and impact is read from the source", async (t) => {
  const session = await measured(t, "--allow-read");
  t.match(session.coverage.report().notes.join("\n"), /--allow-all/);
  const { source, notes } = await session.coverage.impact({ files: [{ path: "math.ts", lines: [10] }] });
  t.equal(source, "static");
  t.match(notes.join("\n"), /--allow-all/);
});
