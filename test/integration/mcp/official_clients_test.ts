// test: timeout=300
/**
 * The session of the mended plugin by programs, with `--structured`: the official clients, of both generations, and the
 * Inspector's command line (`PTH_INSPECTOR` is its `mcp-inspector`). Each checks answers against the tools' schemas.
 */
import { dirname, join } from "node:path";
import process from "node:process";
import t, { type Test } from "tap";
import { Client as NextClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as NextTransport } from "@modelcontextprotocol/client/stdio";
import { Client } from "@modelcontextprotocol/sdk/client";
// Deno does not find the declarations behind this package's pattern export when the name ends in ".js".
// @ts-types="@modelcontextprotocol/sdk/client/stdio"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport";
import { mkdir } from "../../../src/platform/files.ts";
import { readEnv } from "../../../src/platform/host.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { usualTools } from "../../support/usual_tools.ts";
import { fixTitles, mended, mendingSteps } from "../claude_code/mending_session.ts";
import { iteratePlace } from "../../support/iterate_place.ts";
import { readiness } from "../../support/readiness.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { pthCommandLine } from "../../support/bundled_pth.ts";

t.setTimeout(300_000);
const inspector = readEnv("PTH_INSPECTOR");
const withoutInspector = inspector === undefined
  ? "PTH_INSPECTOR does not name the Inspector's command"
  : false;
const { sandbox } = await readiness();

interface Listed {
  name: string;
  outputSchema?: unknown;
}

interface Called {
  content: { type: string; text?: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

/** One connection to a PTH of its own. */
interface OfficialClient {
  list(): Promise<Listed[]>;
  call(name: string, input: Record<string, unknown>): Promise<Called>;
}

interface Started {
  command: [string, ...string[]];
  env: Record<string, string>;
}

const command = pthCommandLine("main", "--structured");
const [program, ...args] = command;
const inherited = { ...process.env as Record<string, string> };
const limit = { timeout: 120_000 };

async function connectClient(t: Test, { env }: Started): Promise<OfficialClient> {
  const client = new Client({ name: "test", version: "1" });
  t.teardown(() => client.close());
  await client.connect(
    new StdioClientTransport({ command: program, args, env: { ...inherited, ...env } }) as Transport,
  );
  return {
    list: async () => (await client.listTools()).tools,
    call: async (name, input) =>
      await client.callTool({ name, arguments: input }, undefined, limit) as Called,
  };
}

async function connectNextClient(t: Test, { env }: Started): Promise<OfficialClient> {
  const client = new NextClient({ name: "test", version: "1" });
  t.teardown(() => client.close());
  await client.connect(new NextTransport({ command: program, args, env: { ...inherited, ...env } }));
  return {
    list: async () => (await client.listTools()).tools,
    call: async (name, input) => await client.callTool({ name, arguments: input }, limit) as Called,
  };
}

/** Uses its `mcpdo`, which holds a connection open in a daemon, so that many commands have one session. */
async function connectInspector(t: Test, { env }: Started): Promise<OfficialClient> {
  const folder = join(env.PTH_HOME!, "../inspector");
  await mkdir(folder);
  const own = {
    HOME: folder,
    MCP_INSPECTOR_DAEMON_DIR: folder,
    MCP_INSPECTOR_DAEMON_TOKEN: crypto.randomUUID(),
    MCP_INSPECTOR_SECRET_STORE: "memory",
  };
  const mcpdo = async (...words: string[]): Promise<unknown> => {
    const { code, stdout, stderr } = await runCommand([join(dirname(inspector!), "mcpdo"), ...words], {
      env: own,
    });
    if (code !== 0) throw new Error(`mcpdo ${words.join(" ")}: exited with ${code}: ${stdout}${stderr}`);
    return words[0] === "daemon" ? undefined : JSON.parse(stdout);
  };
  const variables = Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
  t.teardown(() => mcpdo("daemon", "stop"));
  await mcpdo("--connection", "pth", "--format", "json", "connect", ...variables, "--", ...command);
  return {
    list: async () => (await mcpdo("@pth", "--format", "json", "tools/list") as { tools: Listed[] }).tools,
    call: async (name, input) =>
      await mcpdo("@pth", "--format", "json", "tools/call", name, JSON.stringify(input)) as Called,
  };
}

const clients = [
  { name: "@modelcontextprotocol/sdk", connect: connectClient, skip: sandbox },
  { name: "@modelcontextprotocol/client", connect: connectNextClient, skip: sandbox },
  { name: "the Inspector", connect: connectInspector, skip: withoutInspector || sandbox },
];

for (const { name, connect, skip } of clients) {
  t.test(`${name} drives a whole session and gets data that fit their schemas`, { skip }, async (t) => {
    const folder = await temporaryFolder(t);
    const { plugin, commits, branch } = await iteratePlace(t, mended.fixture);
    const env = { PTH_HOME: join(folder, "home"), PTH_WORKTREE_DIR: join(folder, "worktrees") };
    const { list, call } = await connect(t, { command, env });
    t.equal((await list()).length, 3);

    const texts: string[] = [];
    const find = (pattern: RegExp) => texts.findLast((text) => pattern.test(text))!.match(pattern)![1]!;
    const data: Record<string, Record<string, unknown>> = {};
    for (const { tool, input } of mendingSteps(plugin)) {
      const answer = await call(tool, input?.({ find }) ?? {});
      const text = answer.content.map(({ text }) => text).join("\n");
      t.notOk(answer.isError, `${tool}: ${text}`);
      t.ok(answer.structuredContent, `${tool} has data`);
      texts.push(text);
      // A tool that is called twice: the first answer is the one with the failures.
      data[tool] ??= answer.structuredContent!;
      if (tool !== "pth_start_session") continue;
      const tools = await list();
      t.same(tools.map(({ name }) => name).sort(), usualTools.map(({ name }) => name).sort());
      t.same(
        tools.filter(({ outputSchema }) => outputSchema === undefined),
        [],
        "every tool says what it answers",
      );
    }
    saysWhatProgramsUse(t, data);
    t.match(data.pth_end_session, { branch: await branch(), branchKept: true });
    t.same((await commits("fix")).sort(), [...fixTitles].sort());
    t.equal((await list()).length, 3, "withdrawn with the session");
  });
}

/** Ids, counts, places and verdicts of the session, each under its name. */
function saysWhatProgramsUse(t: Test, data: Record<string, Record<string, unknown>>): void {
  t.match(data.pth_start_session, {
    session: { sessionId: /^\w+$/, source: { worktree: "/", branch: /^pth\// } },
  });
  t.match(data.pth_provision_environment, { environment: { runtime: "sandbox", tier: 1 } });
  t.match(data.pth_load_plugin, { plan: { name: "shared-causes-plugin" } });
  const { summary, results } = data.pth_run_test_suite as { summary: unknown; results: { status: string }[] };
  t.match(summary, { total: mended.tests, passed: 102, failed: mended.failing });
  const failed = results.filter(({ status }) => status === "failed");
  t.equal(failed.length, mended.failing);
  for (const each of failed) t.match(each, { id: /./, name: /./, tool: /./, category: /./ });
  const { groups } = data.pth_diagnose_failure as { groups: { place?: { path: string } }[] };
  t.same([...new Set(groups.flatMap(({ place }) => place?.path ?? []))].sort(), [
    "lib/money.mjs",
    "lib/stock.mjs",
    "lib/tables.mjs",
  ]);
  t.match(data.pth_run_iteration, { state: "stopped", standing: { passed: 158 } });
  t.match(data.pth_apply_fix, { fix: { commit: /^[0-9a-f]{40}$/ } });
}

t.test("the Inspector's command line lists the tools, calls one, and finds their schemas portable", {
  skip: withoutInspector,
}, async (t) => {
  const folder = await temporaryFolder(t);
  const inspect = (...words: string[]) =>
    runCommand([
      inspector!,
      "--cli",
      ...pthCommandLine("main", "--structured", "--tools", "static"),
      "--method",
      ...words,
    ], {
      env: { HOME: folder, PTH_HOME: join(folder, "home") },
    });
  const listed = await inspect("tools/list", "--strict");
  t.equal(listed.code, 0, listed.stderr);
  t.equal(JSON.parse(listed.stdout).tools.length, usualTools.length);
  const called = await inspect("tools/call", "--tool-name", "pth_preflight");
  t.equal(called.code, 0, called.stderr);
  t.match(JSON.parse(called.stdout), { content: [{ type: "text" }], structuredContent: { ready: true } });
  const refused = await inspect("tools/call", "--tool-name", "pth_load_plugin");
  t.match(refused.stdout + refused.stderr, "NO_SESSION");
  t.equal((await inspect("tools/call", "--tool-name", "pth_nothing")).code, 5, "there is no such tool");
});
