/** Google's Gemini CLI, without a person: `gemini --prompt`. */
import { isObject, jsonIn } from "../../core/values.ts";
import { defineAgent } from "./agent.ts";
import { oddCommands, type PluginServer } from "./plugin_parts.ts";
import { traceOfGemini } from "./trace_of_gemini.ts";

/** Server in the settings of Gemini CLI and its relatives. */
export const geminiServer = ({ command: [command, ...args], env, cwd, url, headers }: PluginServer) => ({
  ...(url === undefined
    ? { command, args, env, ...(cwd === undefined ? {} : { cwd }) }
    : { httpUrl: url, headers }),
  trust: true,
});

/** Names of subagents become those of tools. */
const toolName = /^[a-z0-9_-]+$/;

export const gemini = defineAgent({
  name: "gemini",
  summary: "Google's Gemini CLI (gemini --prompt)",
  abilities: {
    loads: ["servers", "commands", "skills", "subagents"],
    api: "Gemini",
    transcript: false,
    sideCalls: false,
  },
  installation: { program: "gemini", variable: "PTH_GEMINI", packages: ["@google/gemini-cli"] },
  files: ({ parts: { name: plugin, servers, commands, subagents } }) => ({
    "home/.gemini/settings.json": JSON.stringify({
      security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      model: { skipNextSpeakerCheck: true },
      mcpServers: Object.fromEntries(servers.map((server) => [server.name, geminiServer(server)])),
    }),
    ...Object.fromEntries(commands.map(({ name, description, text }) => [
      `home/.gemini/commands/${plugin}/${name}.toml`,
      `description = ${JSON.stringify(description)}\nprompt = ${
        JSON.stringify(text.replaceAll("$ARGUMENTS", "{{args}}"))
      }\n`,
    ])),
    ...Object.fromEntries(
      subagents.filter(({ name }) => toolName.test(name)).map(({ name, description, text }) => [
        `home/.gemini/agents/${name}.md`,
        `---\nname: ${name}\ndescription: ${JSON.stringify(description || name)}\n---\n\n${text}\n`,
      ]),
    ),
    "tmp/.keep": "",
  }),
  copies: ({ parts: { skills } }) => skills.map((name) => [`skills/${name}`, `home/.gemini/skills/${name}`]),
  notes: ({ parts: { commands, subagents } }) => [
    ...oddCommands(commands),
    ...subagents.filter(({ name }) => !toolName.test(name)).map(({ name }) =>
      `subagent ${name} is not loaded: gemini takes lower-case names alone`
    ),
  ],
  command: ({ folder, home, temporary, program, url, prompt, model = "gemini-2.5-flash" }) => ({
    words: [
      program,
      `--prompt=${prompt}`,
      "--yolo",
      "--model",
      model,
      "--output-format",
      "stream-json",
    ],
    env: {
      HOME: home,
      LANG: "C.UTF-8",
      TERM: "dumb",
      TMPDIR: temporary,
      GEMINI_API_KEY: "none",
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
      GEMINI_CLI_NO_RELAUNCH: "true",
      // Else settings of this machine count, too.
      GEMINI_CLI_SYSTEM_SETTINGS_PATH: `${folder}/none.json`,
      GEMINI_CLI_SYSTEM_DEFAULTS_PATH: `${folder}/none.json`,
    },
  }),
  isLastLine(line) {
    const value = jsonIn(line);
    return isObject(value) && value.type === "result";
  },
  records: [],
  trace: traceOfGemini,
});
