/** opencode, without a person: `opencode run`. */
import { isObject, jsonIn } from "../../core/values.ts";
import { type AgentPlace, defineAgent } from "./agent.ts";
import type { PluginServer } from "./plugin_parts.ts";
import { traceOfOpencode } from "./trace_of_opencode.ts";

const server = ({ command, env, url, headers }: PluginServer) =>
  url === undefined
    ? { type: "local", command, environment: env, enabled: true }
    : { type: "remote", url, headers, enabled: true };

const usualModel = "claude-sonnet-4-5";

/** With a title given it asks for none, which it would do at the same time as it works. */
const title = "session";

/** Name under which the plugin's commands are called with Claude Code. */
const commandName = (plugin: string, name: string): string => `${plugin}:${name}`;

const frontMatter = (values: Record<string, unknown>): string =>
  `---\n${
    Object.entries(values).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`).join("")
  }---\n\n`;

/** The prompt as arguments: a command of the plugin is none of the prompt here. */
function promptWords({ prompt, parts: { name: plugin, commands } }: AgentPlace): string[] {
  const [, called, rest = ""] = /^\/(\S+)\s*([\s\S]*)$/.exec(prompt) ?? [];
  const isCommand = commands.some(({ name }) => commandName(plugin, name) === called);
  return isCommand ? ["--command", called!, "--", ...rest.split(/\s+/)] : ["--", prompt];
}

export const opencode = defineAgent({
  name: "opencode",
  summary: "opencode (opencode run)",
  abilities: {
    loads: ["servers", "commands", "skills", "subagents"],
    api: "Anthropic Messages",
    transcript: false,
    sideCalls: true,
  },
  installation: {
    program: "opencode",
    variable: "PTH_OPENCODE",
    packages: ["opencode-ai"],
    native: (system) => `opencode-${system}/bin/opencode`,
  },
  files: ({ url, project, model = usualModel, parts: { name: plugin, servers, commands, subagents } }) => ({
    "home/.config/opencode/opencode.json": JSON.stringify({
      autoupdate: false,
      share: "disabled",
      enabled_providers: ["anthropic"],
      model: `anthropic/${model}`,
      small_model: `anthropic/${model}`,
      permission: "allow",
      instructions: [`${project}/AGENTS.md`],
      provider: { anthropic: { models: { [model]: {} }, options: { baseURL: `${url}/v1`, apiKey: "none" } } },
      mcp: Object.fromEntries(servers.map((each) => [each.name, server(each)])),
    }),
    ...Object.fromEntries(commands.map(({ name, description, text }) => [
      `home/.config/opencode/command/${commandName(plugin, name)}.md`,
      `${frontMatter({ description })}${text}\n`,
    ])),
    ...Object.fromEntries(subagents.map(({ name, description, text }) => [
      `home/.config/opencode/agent/${commandName(plugin, name)}.md`,
      `${frontMatter({ description, mode: "subagent" })}${text}\n`,
    ])),
    // Else it installs this package, which plugins of its own would need, from npm.
    "home/.config/opencode/node_modules/.keep": "",
    "home/.config/opencode/package-lock.json": JSON.stringify({
      lockfileVersion: 3,
      packages: { "": { dependencies: { "@opencode-ai/plugin": "*" } } },
    }),
    "tmp/.keep": "",
  }),
  copies: ({ parts: { skills } }) =>
    skills.map((name) => [`skills/${name}`, `home/.config/opencode/skill/${name}`]),
  notes: ({ parts: { servers, subagents } }) => [
    ...servers.filter(({ cwd }) => cwd !== undefined).map(({ name }) =>
      `server ${name} starts in the project: opencode knows no cwd of servers`
    ),
    ...(subagents.length === 0
      ? []
      : ["subagents may use all tools: their `tools` and `model` are not taken over"]),
  ],
  command(place) {
    const { home, temporary, program, model = usualModel } = place;
    return {
      words: [
        program,
        "run",
        "--format",
        "json",
        "--auto",
        "--model",
        `anthropic/${model}`,
        "--title",
        title,
        ...promptWords(place),
      ],
      env: {
        HOME: home,
        LANG: "C.UTF-8",
        TERM: "dumb",
        TMPDIR: temporary,
        // Else it reads files of all folders above the project, which on the host are the user's.
        OPENCODE_DISABLE_PROJECT_CONFIG: "1",
        OPENCODE_DISABLE_EXTERNAL_SKILLS: "1",
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
        OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
        OPENCODE_DISABLE_CLAUDE_CODE: "1",
      },
    };
  },
  isLastLine(line) {
    const value = jsonIn(line);
    return isObject(value) && value.type === "step_finish" && isObject(value.part) &&
      value.part.reason === "stop";
  },
  records: [],
  trace: traceOfOpencode,
});
