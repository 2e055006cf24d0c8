/** From process start to the first answer of `pth mcp` and to the first line of `pth run`; what a dormant server occupies. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { median, type Row } from "./table.ts";

const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } },
}) + "\n";
const initialized = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }) + "\n";
const list = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" }) + "\n";

const plainServer = `
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
const server = new McpServer({ name: "plain", version: "1" });
for (const name of ["a", "b", "c"]) server.registerTool(name, {}, () => ({ content: [] }));
await server.connect(new StdioServerTransport());`;

interface Reading {
  toInitialize: number;
  toTools: number;
  megabytes: number;
}

async function read(command: string[]): Promise<Reading> {
  const started = performance.now();
  const child = spawn(command[0]!, command.slice(1), { stdio: ["pipe", "pipe", "ignore"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  child.stdin.write(initialize);
  await lines.next();
  const toInitialize = performance.now() - started;
  child.stdin.write(initialized + list);
  await lines.next();
  const toTools = performance.now() - started;
  await new Promise((resolve) => setTimeout(resolve, 500));
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  const megabytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  child.stdin.end();
  await new Promise((resolve) => child.once("close", resolve));
  return { toInitialize, toTools, megabytes };
}

async function readings(command: string[], times: number): Promise<Reading> {
  await read(command);
  const all: Reading[] = [];
  for (let round = 0; round < times; round++) all.push(await read(command));
  const of = (key: keyof Reading) => median(all.map((reading) => reading[key]));
  return { toInitialize: of("toInitialize"), toTools: of("toTools"), megabytes: of("megabytes") };
}

export async function measureServer(): Promise<Row[]> {
  const deno = Deno.execPath();
  const file = await Deno.makeTempFile({ dir: ".", prefix: ".bench-", suffix: ".mjs" });
  const bundle = await Deno.makeTempDir({ prefix: "pth-bench-bundle-" });
  try {
    await Deno.writeTextFile(file, plainServer);
    await makeBundle(bundle);
    const plain = await readings([deno, "run", "-A", file], 9);
    const pth = await readings([deno, "run", "-A", "src/main.ts"], 9);
    const plainOnNode = await readings(["node", file], 9);
    const bundled = await readings(["node", `${bundle}/main.js`], 9);
    const tool = "SDK server with 3 tools";
    const first = await firstLines([deno, "run", "-A", "src/cli.ts"], ["node", `${bundle}/cli.js`]);
    return [
      ...rows("", pth, plain, tool),
      ...rows("bundle on Node: ", bundled, plainOnNode, tool),
      ...first,
    ];
  } finally {
    await Deno.remove(file);
    await Deno.remove(bundle, { recursive: true });
  }
}

const rows = (of: string, pth: Reading, plain: Reading, tool: string): Row[] => [
  {
    what: `${of}start to initialize`,
    value: pth.toInitialize,
    unit: "ms",
    plain: { tool, value: plain.toInitialize },
    target: "< 100 ms",
  },
  {
    what: `${of}start to tools/list`,
    value: pth.toTools,
    unit: "ms",
    plain: { tool, value: plain.toTools },
    target: "< 150 ms",
  },
  {
    what: `${of}dormant, resident`,
    value: pth.megabytes,
    unit: "MB",
    plain: { tool, value: plain.megabytes },
    target: "< 90 MB",
  },
];

const oneTest = `name: one
tool: echo_0
input: { text: hello }
expect: { output_equals: hello }
`;

/** Rows on `pth run` on the host, from a checkout on Deno and from a bundle on Node. */
async function firstLines(checkout: string[], bundled: string[]): Promise<Row[]> {
  const tests = await Deno.makeTempFile({ prefix: "pth-bench-", suffix: ".yaml" });
  try {
    await Deno.writeTextFile(tests, oneTest);
    const server = `node ${Deno.cwd()}/test/fixtures/bench_peers/server.mjs 1`;
    const run = ["run", "--env", "host", "--tests", tests, "--command", server];
    const plain = { tool: "node, one line", value: await firstLine(["node", "-e", "console.log(1)"]) };
    const row = async (of: string, command: string[], target: string): Promise<Row> => ({
      what: `${of}pth run to its first line`,
      value: await firstLine([...command, ...run]),
      unit: "ms",
      plain,
      target,
    });
    return [
      await row("", checkout, "< 360 ms"),
      await row("bundle on Node: ", bundled, "< 200 ms"),
    ];
  } finally {
    await Deno.remove(tests);
  }
}

/** Median of the ms from the start of a process to its first line; each runs to its end. */
async function firstLine(command: string[], times = 7): Promise<number> {
  const all: number[] = [];
  for (let round = 0; round <= times; round++) {
    const started = performance.now();
    const child = spawn(command[0]!, command.slice(1), { stdio: ["ignore", "pipe", "ignore"] });
    const ended = new Promise((resolve) => child.once("close", resolve));
    await new Promise((resolve) => child.stdout.once("data", resolve));
    // The first round fills caches.
    if (round > 0) all.push(performance.now() - started);
    child.stdout.resume();
    const code = await ended;
    if (code !== 0) throw new Error(`${command.join(" ")} exits with ${code}`);
  }
  return median(all);
}

/** Makes the bundle that an installed plugin has. */
async function makeBundle(out: string): Promise<void> {
  const { success, stderr } = await new Deno.Command("node", { args: ["scripts/bundle.mjs", "--out", out] })
    .output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}
