/** pi, without a person: `pi --print`. It knows no MCP servers: an extension of PTH's offers their tools. */
import { isObject, jsonIn } from "../../core/values.ts";
import { assetText } from "../../platform/asset_text.ts";
import { defineAgent } from "./agent.ts";
import { traceOfPi } from "./trace_of_pi.ts";

const usualModel = "playbook";

export const pi = defineAgent({
  name: "pi",
  summary: "pi (pi --print), MCP servers by an extension of PTH's",
  abilities: {
    loads: ["servers", "commands", "skills"],
    api: "Anthropic Messages",
    transcript: false,
    sideCalls: false,
  },
  installation: {
    program: "pi",
    variable: "PTH_PI",
    packages: ["@earendil-works/pi-coding-agent", "@mariozechner/pi-coding-agent"],
  },
  files: ({ url, model = usualModel, parts: { name: plugin, servers, commands } }) => ({
    "home/.pi/agent/models.json": JSON.stringify({
      providers: {
        pth: {
          baseUrl: url,
          api: "anthropic-messages",
          apiKey: "none",
          models: [{ id: model, contextWindow: 200_000, maxTokens: 32_000 }],
        },
      },
    }),
    ...Object.fromEntries(commands.map(({ name, description, text }) => [
      `home/.pi/agent/prompts/${plugin}:${name}.md`,
      `---\ndescription: ${JSON.stringify(description)}\n---\n\n${text}\n`,
    ])),
    "pi/servers.mjs": assetText("agents/pi_servers.mjs"),
    "pi/servers.json": JSON.stringify(servers.filter(({ url }) => url === undefined)),
    "tmp/.keep": "",
  }),
  copies: ({ parts: { skills } }) =>
    skills.map((name) => [`skills/${name}`, `home/.pi/agent/skills/${name}`]),
  notes: ({ parts: { servers } }) =>
    servers.filter(({ url }) => url !== undefined).map(({ name }) =>
      `server ${name} is not loaded: for pi, PTH brings in servers on stdio alone`
    ),
  command: ({ folder, home, temporary, program, prompt, model = usualModel }) => ({
    words: [
      program,
      ...["--print", "--mode", "json", "--no-session", "--provider", "pth", "--model", model],
      ...["--extension", `${folder}/pi/servers.mjs`],
      // Else it reads AGENTS.md of all folders above the project, which on the host are the user's.
      "--no-context-files",
      // Not taken for an option or a file.
      /^[-@]/.test(prompt) ? ` ${prompt}` : prompt,
    ],
    env: {
      HOME: home,
      LANG: "C.UTF-8",
      TERM: "dumb",
      TMPDIR: temporary,
      PI_OFFLINE: "1",
      PI_TELEMETRY: "0",
      PI_SKIP_VERSION_CHECK: "1",
    },
  }),
  isLastLine(line) {
    const value = jsonIn(line);
    return isObject(value) && value.type === "agent_end" && value.willRetry !== true;
  },
  records: ["./pi/*.log"],
  trace: traceOfPi,
});
