import t from "tap";
import { Client } from "@modelcontextprotocol/sdk/client";
// Deno does not find the declarations behind this package's pattern export when the name ends in ".js".
// @ts-types="@modelcontextprotocol/sdk/client/stdio"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport";
import { registry } from "../../../src/tools/_registry.ts";
import { usualTools } from "../../support/usual_tools.ts";
import { toolsetOf } from "../../../src/tools/toolset.ts";
import { startRaw } from "../../support/mcp_process.ts";
import { pthCommandLine } from "../../support/bundled_pth.ts";

async function connect(
  t: { teardown(close: () => Promise<void>): void },
  ...args: string[]
): Promise<Client> {
  const [command, ...rest] = pthCommandLine("main", ...args);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StdioClientTransport({ command, args: rest }) as Transport);
  t.teardown(() => client.close());
  return client;
}

t.test("a real client sees exactly three tools in a server that just started", async (t) => {
  const client = await connect(t);
  t.match(client.getServerVersion(), { name: "pth", version: /^\d+\.\d+\.\d+$/ });
  t.match(client.getInstructions(), "pth_start_session");
  t.strictSame((await client.listTools()).tools.map((tool) => tool.name).sort(), [
    "pth_preflight",
    "pth_resume_session",
    "pth_start_session",
  ]);
});

t.test("with --tools static a real client sees them all", async (t) => {
  const client = await connect(t, "--tools", "static", "--structured");
  t.equal((await client.listTools()).tools.length, usualTools.length);
  const result = await client.callTool({ name: "pth_run_test_suite", arguments: {} });
  t.match(result, { isError: true, _meta: { "pth/error": { code: "NO_SESSION" } } });
});

t.test("with --toolset a real client sees core and what was named", async (t) => {
  const client = await connect(t, "--tools", "static", "--toolset", "performance");
  const names = (await client.listTools()).tools.map(({ name }) => name);
  t.equal(names.length, registry.filter((tool) => ["core", "performance"].includes(toolsetOf(tool))).length);
  t.ok(names.includes("pth_get_performance_report") && !names.includes("pth_fuzz_tools"));
});

t.test("a toolset that there is not ends the start with one line on stderr", async () => {
  const { process, stderr } = await startRaw([], { PTH_TOOLSET: "everything" });
  const { code } = await process.exited;
  t.equal(code, 2);
  t.match(stderr(), /PTH_TOOLSET expects one or more of core, .*, not \\"everything\\"/);
});
