/** OpenAI's Codex, without a person: `codex exec`. */
import { isObject, jsonIn } from "../../core/values.ts";
import { defineAgent } from "./agent.ts";
import type { PluginServer } from "./plugin_parts.ts";
import { traceOfCodex } from "./trace_of_codex.ts";

/** A text of TOML; JSON writes texts as TOML reads them, but for this one sign. */
const text = (value: string): string => JSON.stringify(value).replaceAll("\x7f", "\\u007f");
const list = (values: readonly string[]): string => `[${values.map(text).join(", ")}]`;
const table = (values: Readonly<Record<string, string>>): string =>
  `{ ${Object.entries(values).map(([key, value]) => `${text(key)} = ${text(value)}`).join(", ")} }`;

const serverLines = ({ name, command, env, cwd, url, headers }: PluginServer): string[] => [
  `[mcp_servers.${text(name)}]`,
  ...(url === undefined
    ? [
      `command = ${text(command[0] ?? "")}`,
      `args = ${list(command.slice(1))}`,
      `env = ${table(env)}`,
      ...(cwd === undefined ? [] : [`cwd = ${text(cwd)}`]),
    ]
    : [`url = ${text(url)}`, `http_headers = ${table(headers)}`]),
];

export const codex = defineAgent({
  name: "codex",
  summary: "OpenAI's Codex (codex exec)",
  abilities: { loads: ["servers", "skills"], api: "OpenAI Responses", transcript: false, sideCalls: false },
  installation: {
    program: "codex",
    variable: "PTH_CODEX",
    packages: ["@openai/codex"],
    native: (system) => `@openai/codex-${system}/vendor/${targets[system] ?? system}/bin/codex`,
  },
  files: ({ url, model = "gpt-5", parts: { servers } }) => ({
    "home/.codex/config.toml": [
      `model = ${text(model)}`,
      'model_provider = "pth"',
      "check_for_update_on_startup = false",
      'cli_auth_credentials_store = "file"',
      "[analytics]",
      "enabled = false",
      "[feedback]",
      "enabled = false",
      "[history]",
      'persistence = "none"',
      "[model_providers.pth]",
      'name = "pth"',
      `base_url = ${text(`${url}/v1`)}`,
      'env_key = "OPENAI_API_KEY"',
      'wire_api = "responses"',
      ...servers.flatMap(serverLines),
      "",
    ].join("\n"),
    "tmp/.keep": "",
  }),
  copies: ({ parts: { skills } }) => skills.map((name) => [`skills/${name}`, `home/.codex/skills/${name}`]),
  command: ({ home, temporary, program, url, prompt }) => ({
    words: [
      program,
      ...[
        "exec",
        "--json",
        "--skip-git-repo-check",
        "--dangerously-bypass-approvals-and-sandbox",
        "--",
        prompt,
      ],
    ],
    env: {
      HOME: home,
      CODEX_HOME: `${home}/.codex`,
      LANG: "C.UTF-8",
      TERM: "dumb",
      TMPDIR: temporary,
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: "none",
    },
  }),
  isLastLine(line) {
    const value = jsonIn(line);
    return isObject(value) && (value.type === "turn.completed" || value.type === "turn.failed");
  },
  records: [],
  trace: traceOfCodex,
});

/** Names of systems in Codex's packages. */
const targets: Readonly<Record<string, string>> = {
  "linux-x64": "x86_64-unknown-linux-musl",
  "linux-arm64": "aarch64-unknown-linux-musl",
  "darwin-x64": "x86_64-apple-darwin",
  "darwin-arm64": "aarch64-apple-darwin",
};
