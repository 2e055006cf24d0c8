/** Qwen Code, without a person: `qwen --prompt`. */
import { isObject, jsonIn } from "../../core/values.ts";
import { defineAgent } from "./agent.ts";
import { geminiSettings, subagentFiles } from "./gemini_settings.ts";
import { oddCommands } from "./plugin_parts.ts";
import { traceOfQwen } from "./trace_of_qwen.ts";

export const qwen = defineAgent({
  name: "qwen",
  summary: "Qwen Code (qwen --prompt)",
  abilities: {
    loads: ["servers", "commands", "skills", "subagents"],
    api: "OpenAI Chat Completions",
    transcript: false,
    sideCalls: false,
  },
  installation: { program: "qwen", variable: "PTH_QWEN", packages: ["@qwen-code/qwen-code"] },
  files: ({ parts: { name: plugin, servers, commands, subagents } }) => ({
    "home/.qwen/settings.json": JSON.stringify({
      ...geminiSettings("openai", servers),
      general: { enableAutoUpdate: false },
      // Else it asks the model again once it has answered, for what to remember.
      memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false, enableAutoSkill: false },
    }),
    ...Object.fromEntries(commands.map(({ name, description, text }) => [
      `home/.qwen/commands/${plugin}/${name}.md`,
      `---\ndescription: ${JSON.stringify(description)}\n---\n\n${
        text.replaceAll("$ARGUMENTS", "{{args}}")
      }\n`,
    ])),
    ...subagentFiles("home/.qwen", subagents),
    "tmp/.keep": "",
  }),
  copies: ({ parts: { skills } }) => skills.map((name) => [`skills/${name}`, `home/.qwen/skills/${name}`]),
  notes: ({ parts: { commands } }) => oddCommands(commands),
  command: ({ folder, home, temporary, program, url, prompt, model = "qwen3-coder" }) => ({
    words: [
      program,
      `--prompt=${prompt}`,
      "--yolo",
      "--auth-type",
      "openai",
      "--output-format",
      "stream-json",
    ],
    env: {
      HOME: home,
      LANG: "C.UTF-8",
      TERM: "dumb",
      TMPDIR: temporary,
      OPENAI_API_KEY: "none",
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_MODEL: model,
      QWEN_CODE_NO_RELAUNCH: "true",
      QWEN_CODE_SYSTEM_SETTINGS_PATH: `${folder}/none.json`,
      QWEN_CODE_SYSTEM_DEFAULTS_PATH: `${folder}/none.json`,
    },
  }),
  isLastLine(line) {
    const value = jsonIn(line);
    return isObject(value) && value.type === "result";
  },
  records: [],
  trace: traceOfQwen,
});
