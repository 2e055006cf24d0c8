/**
 * A session over MCP: a plugin in git is loaded and tested, its fault is fixed, and it is tested again. PTH runs as it is
 * published; next to it the same is done by hand, by the SDK's client and an edit, where the packages are installed already.
 */
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { Client } from "@modelcontextprotocol/sdk/client";
// @ts-types="@modelcontextprotocol/sdk/client/stdio"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport";
import { errorMessage } from "../../src/core/errors.ts";
import { runCommand } from "../../src/platform/process.ts";
import { median, type Row } from "./table.ts";

const root = join(import.meta.dirname!, "../..");
const folder = join(root, ".build/bench-session");
const plugin = join(folder, "plugin");
const source = join(plugin, "server.mjs");
const server = ["node", "server.mjs", "20"];
const rounds = 5;
const right = 'content: [{ type: "text", text }]';
const wrong = 'content: [{ type: "text", text: text.toUpperCase() }]';

type Steps = Record<string, number>;

export async function measureWholeSession(): Promise<Row[]> {
  await prepare();
  const byHand = await inRounds(sessionByHand);
  const rows: Row[] = [];
  for (const runtime of ["host", "sandbox"]) {
    try {
      const steps = await inRounds(() => sessionOverMcp(runtime));
      rows.push({
        what: `session, ${runtime}`,
        value: sum(steps),
        unit: "ms",
        plain: { tool: "SDK client and an edit", value: sum(byHand) },
      });
      for (const [step, value] of Object.entries(steps)) {
        rows.push({ what: `of it ${step}`, value, unit: "ms" });
      }
    } catch (error) {
      console.error(`${runtime} is left out: ${errorMessage(error)}`);
    }
  }
  return rows;
}

const sum = (steps: Steps) => Object.values(steps).reduce((all, ms) => all + ms, 0);

/** Medians of each step; the first round fills caches and does not count. */
async function inRounds(session: () => Promise<Steps>): Promise<Steps> {
  const taken: Steps[] = [];
  for (let round = 0; round <= rounds; round++) {
    const steps = await session();
    if (round > 0) taken.push(steps);
  }
  return Object.fromEntries(
    Object.keys(taken[0]!).map((step) => [step, median(taken.map((steps) => steps[step]!))]),
  );
}

async function prepare(): Promise<void> {
  await rm(plugin, { recursive: true, force: true });
  await mkdir(plugin, { recursive: true });
  await run([process.execPath, "run", "-A", "scripts/build.ts", "--out", join(folder, "pth")], root);
  await cp(join(root, "test/fixtures/bench_peers"), plugin, { recursive: true });
  const written = await readFile(source, "utf8");
  if (!written.includes(right)) throw new Error(`${source} no longer answers with: ${right}`);
  await writeFile(source, written.replace(right, wrong));
  await writeFile(join(plugin, ".gitignore"), "node_modules\n");
  await writeFile(
    join(plugin, ".mcp.json"),
    JSON.stringify({ mcpServers: { bench: { command: server[0], args: server.slice(1) } } }),
  );
  await run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"], plugin);
  const git = ["git", "-c", "user.name=bench", "-c", "user.email=bench@example.com"];
  for (const args of [["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "Begin"]]) {
    await run([...git, ...args], plugin);
  }
}

async function run(command: readonly string[], cwd: string): Promise<void> {
  const { code, stderr } = await runCommand(command, { cwd });
  if (code !== 0) throw new Error(`${command.join(" ")} exits with ${code}: ${stderr}`);
}

async function connect(command: readonly string[], env: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: "bench", version: "1" });
  const transport = new StdioClientTransport({
    command: command[0]!,
    args: command.slice(1),
    cwd: plugin,
    env: { ...process.env as Record<string, string>, ...env },
    stderr: "ignore",
  });
  await client.connect(transport as Transport);
  return client;
}

/** Measures each step, in ms. */
function stopwatch() {
  const steps: Steps = {};
  const timed = async <T>(step: string, work: () => Promise<T>): Promise<T> => {
    const began = performance.now();
    const result = await work();
    steps[step] = performance.now() - began;
    return result;
  };
  return { steps, timed };
}

async function sessionOverMcp(runtime: string): Promise<Steps> {
  const { steps, timed } = stopwatch();
  const client = await timed(
    "the start of PTH",
    () => connect(["node", join(folder, "pth/cli.js"), "mcp"], { PTH_HOME: join(folder, "home") }),
  );
  const call = (step: string, name: string, args: Record<string, unknown> = {}) =>
    timed(step, async () => {
      const { content, isError } = await client.callTool({ name, arguments: args }, undefined, {
        timeout: 240_000,
      });
      const text = (content as { text?: string }[]).map((part) => part.text ?? "").join("\n");
      if (isError === true) throw new Error(`${name}: ${text}`);
      return text;
    });
  try {
    await call("pth_start_session", "pth_start_session", { pluginPath: plugin });
    await call("pth_provision_environment", "pth_provision_environment", { runtime });
    await call("pth_load_plugin", "pth_load_plugin");
    const yaml =
      "name: text comes back\ntool: echo_7\ninput: { text: hello }\nexpect: { output_equals: hello }\n";
    await call("pth_create_test", "pth_create_test", { yaml });
    const grep = "text comes back";
    expect(await call("pth_run_test_suite", "pth_run_test_suite", { grep }), "1 failed");
    await call("pth_apply_fix", "pth_apply_fix", {
      title: "give the text back",
      edits: [{ path: "server.mjs", find: wrong, replace: right }],
    });
    await call("pth_reload_plugin", "pth_reload_plugin");
    expect(await call("pth_run_test_suite, again", "pth_run_test_suite", { grep }), "1 passed");
    await call("pth_end_session", "pth_end_session");
  } finally {
    await timed("the end of PTH", () => client.close());
    const { stdout } = await runCommand(["git", "branch", "--list", "pth/*", "--format=%(refname:short)"], {
      cwd: plugin,
    });
    const branches = stdout.split("\n").filter((branch) => branch !== "");
    if (branches.length > 0) await run(["git", "branch", "-qD", ...branches], plugin);
  }
  return steps;
}

function expect(text: string, part: string): void {
  if (!text.includes(part)) {
    throw new Error(`the session is not as it should be, "${part}" is missing: ${text}`);
  }
}

async function sessionByHand(): Promise<Steps> {
  const { steps, timed } = stopwatch();
  const before = await readFile(source, "utf8");
  const test = async () => {
    const client = await connect(server);
    await client.listTools();
    const { content } = await client.callTool({ name: "echo_7", arguments: { text: "hello" } });
    await client.close();
    return JSON.stringify(content);
  };
  try {
    await timed("all", async () => {
      expect(await test(), "HELLO");
      await writeFile(source, before.replace(wrong, right));
      expect(await test(), "hello");
    });
  } finally {
    await writeFile(source, before);
  }
  return steps;
}
