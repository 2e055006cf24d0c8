/** The contract of agents: the same session, with the tools of a plugin's MCP server, comes to the same with each of them. */
import { join } from "node:path";
import t from "tap";
import type { AgentSessionResult, TraceEntry } from "../../machines/model/agent_session.ts";
import { agentNamed } from "../../src/agents/adapters/agents.ts";
import { mkdir, writeTextFile } from "../../src/platform/files.ts";
import { readEnv } from "../../src/platform/host.ts";
import type { CliTurns } from "../support/cli_turns.ts";
import { copyFixture } from "../support/fixture_plugin.ts";
import { makePlace, namesIn, type Place } from "../support/pth_run.ts";

export interface AgentCase {
  agent: string;
  /** Name of a tool of the server `shop` as the agent offers it to its model. */
  tool: (name: string) => string;
  /** What the agent makes of a result. */
  result?: (text: string) => string | RegExp;
  /** Tools of servers are only named until the model looks them up; by default it has all of them. */
  toolSearch?: boolean;
  /** Further options of the command line. */
  options?: readonly string[];
  /** Prompts that call the plugin's command with the flower `rose`, for agents that have commands. */
  calledBy?: string;
}

const marker = "MARK-OF-THE-USER";
const markedText = `---\nname: marked\ndescription: ${marker}\n---\n\n${marker}\n`;
const markedServers = { marked: { command: marker, type: "local", enabled: true } };

/** Files of a user's at all places where the agents look. */
const userFiles: Readonly<Record<string, string>> = {
  ".claude/settings.json": JSON.stringify({ env: { MARKED: marker } }),
  ".claude/CLAUDE.md": marker,
  ".claude/skills/marked/SKILL.md": markedText,
  ".agents/skills/marked/SKILL.md": markedText,
  ".codex/config.toml": `developer_instructions = "${marker}"\n[mcp_servers.marked]\ncommand = "${marker}"\n`,
  ".codex/AGENTS.md": marker,
  ".config/opencode/opencode.json": JSON.stringify({ mcp: markedServers, instructions: [marker] }),
  ".config/opencode/AGENTS.md": marker,
  ".gemini/settings.json": JSON.stringify({ mcpServers: markedServers }),
  ".gemini/GEMINI.md": marker,
  ".qwen/settings.json": JSON.stringify({ mcpServers: markedServers }),
  ".qwen/QWEN.md": marker,
  ".pi/agent/AGENTS.md": marker,
  ".pi/agent/skills/marked/SKILL.md": markedText,
};
/** Such files of folders above the project are read, too, by some agents. */
const filesAbove: Readonly<Record<string, string>> = {
  "AGENTS.md": marker,
  "CLAUDE.md": marker,
  "GEMINI.md": marker,
  "QWEN.md": marker,
  ".mcp.json": JSON.stringify({ mcpServers: markedServers }),
  "opencode.json": JSON.stringify({ instructions: [marker] }),
  ".opencode/agent/marked.md": markedText,
  ".claude/agents/marked.md": markedText,
  ".claude/commands/marked.md": markedText,
  ".claude/rules/marked.md": marker,
  ".pi/skills/marked/SKILL.md": markedText,
};
const keys = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "QWEN_MODEL"];

async function writeAll(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, path, ".."), { recursive: true });
    await writeTextFile(join(folder, path), text);
  }
}

const lacksMarker = `system: { lacks: ${marker} }, messages: { lacks: ${marker} }`;

const shopping = ({ tool, toolSearch = false }: AgentCase): string =>
  `turns:
  - text: I look.
    expect: { tools: [${toolSearch ? "tool_search" : `${tool("find")}, ${tool("order")}`}], ${lacksMarker} }
    calls: [{ tool: ${tool("find")}, input: { name: moss } }, { tool: ${
    tool("find")
  }, input: { name: tulip } }]
  - bind: { name: { tool: "*find", regex: 'name\\W+(\\w+)' } }
    calls: [{ tool: ${tool("find")}, input: { name: $name } }]
  - calls: [{ tool: ${tool("order")}, input: { id: 12 } }]
    expect: { ${lacksMarker} }
  - text: Ordered the $name.
    expect: { result: { tool: "*order", text: ordered number 12 } }
`;

/** Answer to a session with this agent; the plugin is that of `test/fixtures/agent_plugin`. */
async function session(
  turns: CliTurns,
  place: Place,
  { agent, options = [] }: AgentCase,
  playbook: string,
  prompt: string,
  ...more: string[]
) {
  const plugin = await copyFixture("agent_plugin", place.folder);
  const file = join(place.folder, "playbook.yaml");
  await writeTextFile(file, playbook);
  const { code, stdout, stderr } = await turns.run([
    ...["agent", "run", plugin, prompt, "--agent", agent, "--playbook", file, "--json"],
    ...[...options, ...more],
  ], {
    env: {
      ...place.env,
      HOME: join(place.folder, "user"),
      ...Object.fromEntries(keys.map((key) => [key, marker])),
    },
  });
  return { code, stderr, text: stdout, result: JSON.parse(stdout || "{}") as AgentSessionResult };
}

const callsIn = ({ trace }: AgentSessionResult) =>
  trace.timeline.filter((entry): entry is Extract<TraceEntry, { type: "tool_call" }> =>
    entry.type === "tool_call"
  );

/** Value for tap's `skip`: false where the agent is named, else the reason. */
export function withoutAgent(agent: string): string | false {
  const variable = agentNamed(agent).installation?.variable;
  return variable === undefined || readEnv(variable) !== undefined ? false : `${variable} names no ${agent}`;
}

export function agentContract(turns: CliTurns, each: AgentCase): void {
  const { agent, tool, result: shown = (text) => text } = each;
  const { abilities, installation } = agentNamed(agent);

  t.test(`${agent} works with the tools of a plugin's server, and with nothing of the user's`, {
    skip: withoutAgent(agent),
  }, async (t) => {
    const place = await makePlace(t);
    await writeAll(join(place.folder, "user"), userFiles);
    // As where PTH's own folder is in the user's home.
    await writeAll(place.folder, { ...userFiles, ...filesAbove });
    const { code, text, stderr, result } = await session(
      turns,
      place,
      each,
      shopping(each),
      "buy a tulip",
      "--env",
      "host",
    );
    t.equal(code, 0, `${stderr}${text}`);
    t.strictSame(result.failures, []);
    t.equal(result.exit?.code, 0);
    t.equal(result.played, 4);
    if (installation !== undefined) t.match(result.version, /^\d+\.\d+\.\d+/);
    t.match(callsIn(result).map(({ tool, input, result }) => [tool, input, result]), [
      [tool("find"), { name: "moss" }, /there is no moss/],
      [tool("find"), { name: "tulip" }, shown('{"id":12,"name":"tulip"}')],
      [tool("find"), { name: "tulip" }, shown('{"id":12,"name":"tulip"}')],
      [tool("order"), { id: 12 }, shown("ordered number 12")],
    ]);
    t.match(callsIn(result).map(({ is_error }) => is_error), [true, false, false, false]);
    t.ok(result.trace.timeline.some((entry) => entry.type === "prompt" && entry.text === "buy a tulip"));
    t.match(result.trace.timeline.at(-1), { type: "end", text: "Ordered the tulip." });
    t.strictSame(result.trace.changes, [], "the project stays as it is");
    t.notMatch(text, marker);
    const untold = result.trace.warnings.filter((warning) =>
      !/^the plugin's|^subagents may use/.test(warning)
    );
    t.strictSame(untold, [], "no other warnings");
    for (const part of ["commands", "skills", "subagents", "hooks"] as const) {
      const told = result.trace.warnings.some((warning) =>
        warning.startsWith(`the plugin's ${part} are not loaded`)
      );
      t.equal(told, !abilities.loads.includes(part), `${part} that are not loaded are told`);
    }
    t.strictSame(await namesIn(join(place.folder, "worktrees")), [], "no worktree is left");
  });
}
