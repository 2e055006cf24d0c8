/** Claude Code, without a person: `claude -p`. */
import { isObject, jsonIn } from "../../core/values.ts";
import { type AgentPlace, defineAgent, mcpConfig } from "./agent.ts";
import { quoted } from "../../platform/process.ts";
import { pluginParts } from "./plugin_parts.ts";
import { traceOfClaude } from "./trace_of_claude.ts";

/** Events for which Claude Code runs hooks; unknown ones are ignored by versions without them. */
const hookEvents = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PermissionRequest",
  "SubagentStart",
  "SubagentStop",
  "PreCompact",
  "Notification",
  "Stop",
  "SessionEnd",
];

/** Characters of an id; Claude Code's have 36. */
const longestId = 100;

/** A file of its own for each event: events come side by side. */
const hookCommand = (folder: string): string => `cat > "$(mktemp ${quoted(`${folder}/hooks/XXXXXXXXXX`)})"`;

/** Claude Code reads such files of all folders above the project, which on the host are the user's. */
const memoryAbove = (folder: string): string[] =>
  foldersFrom(folder).flatMap((above) =>
    ["AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", ".claude/rules/**"].map((file) =>
      `${above}/${file}`
    )
  );

/** A folder and all above it, the root as an empty text. */
const foldersFrom = (folder: string): string[] => {
  const names = folder.split("/");
  return names.map((_, index) => names.slice(0, names.length - index).join("/"));
};

/** A plugin that names its servers brings them by itself. */
const needsServer = ({ server }: Pick<AgentPlace, "server">): boolean =>
  server !== undefined && !server.declared;

export const claude = defineAgent({
  name: "claude",
  summary: "Claude Code (claude -p)",
  abilities: { loads: pluginParts, api: "Anthropic Messages", transcript: true, sideCalls: true },
  restricts: true,
  installation: {
    program: "claude",
    variable: "PTH_CLAUDE",
    packages: ["@anthropic-ai/claude-code"],
    native: (system) => `@anthropic-ai/claude-code-${system}/claude`,
  },
  files: (place) => ({
    ...(needsServer(place) ? { "mcp.json": mcpConfig(place) } : {}),
    "settings.json": JSON.stringify({
      claudeMdExcludes: memoryAbove(place.folder),
      hooks: Object.fromEntries(
        hookEvents.map((
          event,
        ) => [event, [{ hooks: [{ type: "command", command: hookCommand(place.folder) }] }]]),
      ),
    }),
    "hooks/.keep": "",
    "home/.keep": "",
    "tmp/.keep": "",
  }),
  command: ({ folder, home, temporary, plugin, program, url, prompt, model = "haiku", ...place }) => ({
    words: [
      program,
      "-p",
      prompt,
      ...["--model", model, "--setting-sources", "project", "--settings", `${folder}/settings.json`],
      ...["--plugin-dir", plugin],
      ...(place.asksPermission === true ? [] : ["--dangerously-skip-permissions"]),
      ...(place.tools === undefined ? [] : [`--tools=${place.tools.join(",")}`]),
      ...(needsServer(place) ? ["--strict-mcp-config", "--mcp-config", `${folder}/mcp.json`] : []),
      ...["--output-format", "stream-json", "--verbose", "--include-hook-events"],
    ],
    env: {
      HOME: home,
      LANG: "C.UTF-8",
      TERM: "dumb",
      TMPDIR: temporary,
      CLAUDE_CODE_TMPDIR: temporary,
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "none",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_ERROR_REPORTING: "1",
      // Else tools of MCP servers are only named until the model looks them up.
      ENABLE_TOOL_SEARCH: "false",
      // The first request waits for the servers, as one does that a person takes the time to type.
      MCP_CONNECTION_NONBLOCKING: "false",
      CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
      // Without it Claude Code lets nobody who is root allow every tool.
      IS_SANDBOX: "1",
    },
  }),
  isLastLine(line) {
    if (!line.includes('"type":"result"')) return false;
    const value = jsonIn(line);
    return isObject(value) && value.type === "result";
  },
  sessionOf(line) {
    const value = line.includes('"session_id"') ? jsonIn(line) : undefined;
    return isObject(value) && typeof value.session_id === "string"
      ? value.session_id.slice(0, longestId)
      : undefined;
  },
  pendingHooks(output) {
    const running = new Map<unknown, string>();
    for (const line of output.filter((line) => line.includes('"hook_'))) {
      const value = jsonIn(line);
      if (!isObject(value)) continue;
      if (value.subtype === "hook_started") running.set(value.hook_id, String(value.hook_name).slice(0, 200));
      else if (value.subtype === "hook_response") running.delete(value.hook_id);
    }
    return [...new Set(running.values())];
  },
  records: ["./hooks/*", "./home/.claude/projects/*.jsonl"],
  trace: traceOfClaude,
});
