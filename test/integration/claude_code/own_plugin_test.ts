// test: timeout=240
/** PTH's own plugin, driven by the real Claude Code on a playbook: a session with a small plugin, from its start to its end. */
import { cp } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import type { AgentSessionResult, TraceEntry } from "../../../machines/model/agent_session.ts";
import { mkdir, writeTextFile } from "../../../src/platform/files.ts";
import { pthCommandLine } from "../../support/bundled_pth.ts";
import { openCliTurns } from "../../support/cli_turns.ts";
import { makePlace, namesIn, type Place, root } from "../../support/pth_run.ts";
import { smallServer } from "../../support/small_server.ts";
import { withoutClaude } from "./claude_code.ts";

const skip = withoutClaude;
const turns = openCliTurns();
t.teardown(() => turns.close());

/** A plugin whose one tool answers something other than its test expects, until it is fixed. */
async function greeter(folder: string): Promise<string> {
  const plugin = join(folder, "greeter");
  const schema = '{ type: "object", properties: { name: { type: "string", description: "Name." } } }';
  const files = {
    "package.json": JSON.stringify({ name: "greeter", version: "1.0.0" }),
    ".mcp.json": JSON.stringify({ mcpServers: { greeter: { command: "node", args: ["server.mjs"] } } }),
    "server.mjs": smallServer({
      name: "greeter",
      head: "const greet = ({ name }) => `Helo ${name}`;",
      tools: `[{ name: "greet", description: "Greets.", inputSchema: ${schema} }]`,
      text: "greet(call.arguments)",
    }),
    ".pth/tests/greets.yaml":
      "name: greets\ntool: greet\ninput: { name: Ann }\nexpect: { output_equals: Hello Ann }\n",
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(plugin, path, ".."), { recursive: true });
    await writeTextFile(join(plugin, path), text);
  }
  return plugin;
}

/** PTH as Claude Code has it, but for its server: that is started from the bundle of these tests. */
async function ownPlugin({ folder, env }: Place): Promise<string> {
  const plugin = join(folder, "pth");
  for (const part of [".claude-plugin", "skills", "commands", "agents"]) {
    await cp(join(root, part), join(plugin, part), { recursive: true });
  }
  const [command, ...args] = pthCommandLine("main");
  await writeTextFile(
    join(plugin, ".mcp.json"),
    JSON.stringify({ mcpServers: { pth: { command, args, env } } }),
  );
  return plugin;
}

const tool = (name: string) => `mcp__plugin_pth_pth__pth_${name}`;
const result = (text: string) => ({ result: { is_error: false, text } });

t.test("Claude Code tests and fixes a plugin by PTH's tools, and leaves nothing", { skip }, async (t) => {
  const place = await makePlace(t);
  const pluginPath = await greeter(place.folder);
  const fix = {
    title: "spell the greeting",
    edits: [{ path: "server.mjs", find: "Helo", replace: "Hello" }],
  };
  const steps: [string, object, string][] = [
    ["start_session", { pluginPath }, "pth_provision_environment"],
    ["provision_environment", { runtime: "host" }, "host"],
    ["load_plugin", {}, "greeter"],
    ["run_iteration", { generate: false }, "1 failure, 1 root cause"],
    ["run_iteration", { fixes: [fix] }, "every test passes"],
    ["end_session", {}, "Session ended"],
  ];
  const playbook = join(place.folder, "playbook.json");
  await writeTextFile(
    playbook,
    JSON.stringify({
      turns: [
        ...steps.map(([name, input], index) => ({
          calls: [{ tool: tool(name), input }],
          expect: index === 0
            ? { tools: [tool(name)], lists: ["pth:test-plugin"] }
            : result(steps[index - 1]![2]),
        })),
        { text: "It is green.", expect: result(steps.at(-1)![2]) },
      ],
    }),
  );
  const { code, stdout, stderr } = await turns.run(
    [
      "agent",
      "run",
      await ownPlugin(place),
      "test my plugin",
      "--env",
      "host",
      "--playbook",
      playbook,
      "--json",
    ],
    { env: place.env },
  );
  const session = JSON.parse(stdout || "{}") as AgentSessionResult;
  t.equal(code, 0, stderr);
  t.strictSame(session.failures, []);
  const calls = session.trace.timeline.filter((entry): entry is Extract<TraceEntry, { type: "tool_call" }> =>
    entry.type === "tool_call"
  );
  t.strictSame(
    calls.map(({ tool, is_error: failed }) => [tool, failed]),
    steps.map(([name]) => [tool(name), false]),
  );
  t.strictSame(await namesIn(join(place.folder, "worktrees")), [], "no worktree is left");
});
