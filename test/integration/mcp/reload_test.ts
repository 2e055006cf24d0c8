// test: timeout=300
/** Reloads over MCP: a real client changes a real plugin while its server runs. */
import { execFileSync } from "node:child_process";
import t, { type Test } from "tap";
import type { FixRecord } from "../../../machines/model/fix.ts";
import { openSessionClient } from "../../support/session_client.ts";
import { smallServer } from "../../support/small_server.ts";

const slow = { timeout: 120_000 };
t.setTimeout(280_000);

const server = smallServer({
  name: "changing",
  head: 'import { act, tools } from "./tools.mjs";',
  tools: "tools",
  text: "act(call.name, call.arguments)",
});

const tools = `import { spawn } from "node:child_process";
const inputSchema = { type: "object", properties: {} };
export const tools = [
  { name: "show", description: "Tells its variables", inputSchema },
  { name: "fork", description: "Starts a process", inputSchema },
];
const length = (value) => value?.length ?? 0;
export function act(name) {
  if (name === "fork") spawn("sleep", ["30117"], { detached: true, stdio: "ignore" }).unref();
  const { GREETING, API_TOKEN } = process.env;
  return JSON.stringify({ pid: process.pid, greeting: GREETING, token: API_TOKEN, length: length(API_TOKEN) });
}
`;

const manifest = {
  name: "changing",
  version: "1.0.0",
  type: "module",
  scripts: { build: "true" },
  pth: { config: { API_TOKEN: { default: "first-token-17", secret: true } } },
};

const files = {
  "package.json": JSON.stringify(manifest, undefined, 1),
  ".mcp.json":
    '{"mcpServers":{"changing":{"command":"node","args":["server.mjs"],"env":{"GREETING":"hello"}}}}\n',
  ".gitignore": "node_modules\n",
  "server.mjs": server,
  "tools.mjs": tools,
};

const client = await openSessionClient(t);
const { succeed, call } = client;

/** What the server that runs now tells. */
async function show(t: Test): Promise<{ pid: number; greeting: string; token: string; length: number }> {
  return JSON.parse((await succeed(t, "pth_call_plugin_tool", { tool: "show" })).text.match(/\{.*\}/)![0]);
}

const fix = (title: string, path: string, find: string, replace: string) => ({
  title,
  edits: [{ path, find, replace }],
  reload: true,
});

t.test("a session", slow, async (t) => {
  t.ok(await client.begin(t, files, "host"));
  const first = await show(t);
  t.match(first, { greeting: "hello", token: "[REDACTED]", length: 14 });

  await t.test("a fix of the configuration reaches the server", async (t) => {
    const { data } = await succeed(t, "pth_apply_fix", fix("greet", ".mcp.json", "hello", "servus"));
    t.match(data, {
      reload: { closed: [{ how: "stdin-eof" }], tools: { added: [], removed: [], changed: [] } },
    });
    const changed = await show(t);
    t.equal(changed.greeting, "servus");
    t.not(changed.pid, first.pid);
    await succeed(t, "pth_apply_fix", fix("renew", "package.json", "first-token-17", "the-second-token"));
    t.match(await show(t), { token: "[REDACTED]", length: 16 }, "also a default that is a secret");
  });

  await t.test("what a person asked for is a fix without tests; the answer tells the tools that differ", async (t) => {
    const { data, text } = await succeed(t, "pth_apply_fix", {
      tests: [],
      title: "greet louder",
      edits: [
        {
          path: "tools.mjs",
          find: '{ name: "show", description: "Tells its variables", inputSchema }',
          replace:
            '{ name: "show", description: "Tells its variables", inputSchema: { type: "object" } },\n' +
            '  { name: "shout", description: "Tells them louder", inputSchema }',
        },
        {
          path: "tools.mjs",
          find: 'description: "Starts a process", inputSchema',
          replace: 'inputSchema, description: "Starts a process"',
        },
      ],
      reload: true,
    });
    t.match(data, {
      fix: { tests: [] },
      reload: { tools: { added: ["shout"], changed: ["show"], total: 3 } },
    });
    t.match(text, "added shout; changed show");
    const { commit } = data["fix"] as FixRecord;
    const reverted = await succeed(t, "pth_revert_fix", { commit, reload: true });
    t.match(reverted.data, { reload: { tools: { removed: ["shout"], changed: ["show"], total: 2 } } });
  });

  const failures = {
    "the configuration cannot be read": [".mcp.json", '{"mcpServers"', '{"mcpServers', /INVALID_CONFIG/],
    "the install fails": ["package.json", '"build": "true"', '"preinstall": "exit 3"', /INSTALL_FAILED/],
    "the build fails": ["package.json", '"build": "true"', '"build": "exit 4"', /BUILD_FAILED/],
  } as const;
  for (const [what, [path, find, replace, code]] of Object.entries(failures)) {
    await t.test(`${what}: the server from before still runs`, async (t) => {
      const { pid } = await show(t);
      const broken = await call("pth_apply_fix", fix("break it", path, find, replace));
      t.ok(broken.isError);
      t.match(
        broken.text,
        /is committed, but the plugin does not load with it.*The server from before still runs/,
      );
      t.match(broken.text, code);
      t.equal((await show(t)).pid, pid);
      t.match((await succeed(t, "pth_get_plugin_status")).text, /^Plugin: ready[^]*Last error: /);
      t.ok((await call("pth_reload_plugin")).isError, "and again, as nothing changed");
      t.equal((await show(t)).pid, pid);
      const { commit } = broken.data["error"] as { commit: string };
      const reverted = await succeed(t, "pth_revert_fix", { commit, reload: true });
      t.match(reverted.data, { reload: { tools: { added: [], removed: [], changed: [] } } });
      t.not((await show(t)).pid, pid);
      t.notMatch((await succeed(t, "pth_get_plugin_status")).text, "Last error");
    });
  }

  await t.test("a server that does not start any more is started by the next reload that can", async (t) => {
    const broken = await call("pth_apply_fix", fix("break it", "tools.mjs", "import {", "import from {"));
    t.match(broken.text, /START_FAILED/);
    t.match((await succeed(t, "pth_get_plugin_status")).text, "Plugin: absent");
    t.match((await call("pth_call_plugin_tool", { tool: "show" })).text, "NOT_NOW");
    const { commit } = broken.data["error"] as { commit: string };
    await succeed(t, "pth_revert_fix", { commit });
    const again = await succeed(t, "pth_reload_plugin");
    t.match(again.data, { tools: { added: [], removed: [], changed: [], total: 2 } });
    t.match(await show(t), { greeting: "servus" });
  });

  await t.test("a process that the old server left is ended, and is the plugin's fault", async (t) => {
    await succeed(t, "pth_call_plugin_tool", { tool: "fork" });
    const alive = {
      command: "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -c 'sleep 3011[7]'",
    };
    t.match((await succeed(t, "pth_exec_in_environment", alive)).data, { stdout: /[1-9]/ });
    const { text, data } = await succeed(t, "pth_reload_plugin");
    t.match(text, "left a process behind: sleep 30117");
    t.match(data, { closed: [{ orphans: ["sleep 30117"] }] });
    const { findings } = (await succeed(t, "pth_get_test_results")).data as { findings: unknown[] };
    t.match(findings, [{ code: "orphaned-process", severity: "error", message: /sleep 30117/ }]);
    t.match((await succeed(t, "pth_exec_in_environment", alive)).data, { stdout: /^0?$/ });
  });

  const ended = await succeed(t, "pth_end_session");
  const { repository, branch } = ended.data as { repository: string; branch: string };
  const report = execFileSync("git", ["-C", repository, "show", `${branch}:.pth/SESSION-REPORT.md`]);
  t.match(String(report), "orphaned-process");
});
