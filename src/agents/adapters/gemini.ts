/** Google's Gemini CLI, without a person: `gemini --prompt`. */
import { isObject, jsonIn } from "../../core/values.ts";
import { defineAgent } from "./agent.ts";
import { geminiSettings, subagentFiles } from "./gemini_settings.ts";
import { oddCommands } from "./plugin_parts.ts";
import { traceOfGemini } from "./trace_of_gemini.ts";

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
      ...geminiSettings("gemini-api-key", servers),
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
    }),
    ...Object.fromEntries(commands.map(({ name, description, text }) => [
      `home/.gemini/commands/${plugin}/${name}.toml`,
      `description = ${JSON.stringify(description)}\nprompt = ${
        JSON.stringify(text.replaceAll("$ARGUMENTS", "{{args}}"))
      }\n`,
    ])),
    ...subagentFiles("home/.gemini", subagents.filter(({ name }) => toolName.test(name))),
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
