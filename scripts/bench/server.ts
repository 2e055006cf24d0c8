/** `pth mcp`: from process start to the answer to `initialize`, and what it occupies while dormant. */
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
    return [...rows("", pth, plain, tool), ...rows("bundle on Node: ", bundled, plainOnNode, tool)];
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

/** Makes the bundle that an installed plugin has. */
async function makeBundle(out: string): Promise<void> {
  const { success, stderr } = await new Deno.Command("node", { args: ["scripts/bundle.mjs", "--out", out] })
    .output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}
