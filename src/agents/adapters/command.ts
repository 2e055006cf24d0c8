/** Any program that takes a prompt and the address of a model API: a command line of the user's. */
import { PthError } from "../../core/errors.ts";
import { defineAgent, mcpConfig } from "./agent.ts";
import { traceOfCommand } from "./trace_of_command.ts";

export const command = defineAgent({
  name: "command",
  summary: "any program that takes a prompt and the address of a model API; a command line of yours",
  abilities: { loads: [], transcript: false, sideCalls: false },
  files: (place) => ({
    "home/.keep": "",
    "tmp/.keep": "",
    ...(place.server === undefined ? {} : { "mcp.json": mcpConfig(place) }),
  }),
  command({ folder, server, model, home, temporary, plugin, program, url, prompt, command }) {
    if (command === undefined) {
      throw new PthError("INVALID_INPUT", "Cannot run agent: the agent `command` needs a command line");
    }
    const { line, stdin } = command;
    return {
      // Not on the line: a prompt is no text for a shell.
      words: stdin ? ["sh", "-c", line, "sh"] : ["sh", "-c", `${line} "$@"`, "sh", prompt],
      ...(stdin ? { stdin: prompt } : {}),
      env: {
        HOME: home,
        LANG: "C.UTF-8",
        TERM: "dumb",
        TMPDIR: temporary,
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: "none",
        OPENAI_BASE_URL: `${url}/v1`,
        OPENAI_API_KEY: "none",
        GOOGLE_GEMINI_BASE_URL: url,
        GEMINI_API_KEY: "none",
        PTH_PLUGIN: plugin,
        ...(model === undefined ? {} : { PTH_MODEL: model }),
        ...(server === undefined ? {} : { PTH_MCP_CONFIG: `${folder}/mcp.json` }),
        ...(program === "" ? {} : { PTH_AGENT: program }),
      },
    };
  },
  isLastLine: () => false,
  records: [],
  trace: traceOfCommand,
});
