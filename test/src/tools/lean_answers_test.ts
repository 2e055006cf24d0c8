/** Answers of environment and plugin tools cost a model little, also about large plugins. */
import t from "tap";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { ContractCheck } from "../../../machines/model/contract.ts";
import type { DriftChange } from "../../../machines/model/environment.ts";
import type { PluginInfo } from "../../../machines/model/session.ts";
import checkDrift from "../../../src/tools/environment/check_environment_drift.ts";
import exec from "../../../src/tools/environment/exec_in_environment.ts";
import checkContract from "../../../src/tools/plugin/check_contract.ts";
import lint from "../../../src/tools/plugin/lint_plugin.ts";
import listTools from "../../../src/tools/plugin/list_plugin_tools.ts";
import load from "../../../src/tools/plugin/load_plugin.ts";
import updateDocs from "../../../src/tools/plugin/update_plugin_docs.ts";
import type { ToolAnswer } from "../../../src/tools/tool.ts";
import { scriptedHarness, type ScriptedSession } from "../server/scripted_harness.ts";
import { toolContext } from "./tool_context.ts";
import type { Finding } from "../../../machines/model/verdict.ts";

const usual = 400;
/** More comes in pages. */
const most = 3900;

const ok = <T>(value: T) => () => Promise.resolve(value);
const context = (commands: ScriptedSession) => toolContext(scriptedHarness({ commands }));
const times = <T>(number: number, make: (at: number) => T): T[] =>
  Array.from({ length: number }, (_, at) => make(at));

const toolsOf = (number: number) =>
  times(number, (at) => ({
    name: `orders_find_${at}`,
    description: `Finds orders of one customer, the newest first, with their positions. Number ${at}.\n`
      .repeat(5),
    inputSchema: {
      type: "object",
      properties: { customer: { type: "string" }, limit: { type: "integer" } },
      required: ["customer"],
    },
  }));

const pluginOf = (number: number): PluginInfo => ({
  plan: {
    name: "shop",
    version: "1.0.0",
    source: "/plugins/shop",
    folder: "/work/plugin",
    build: {
      system: "npm (tsconfig)",
      evidence: "package.json",
      install: "npm ci",
      build: "npm run build",
      toolchains: [],
    },
    server: { type: "stdio", command: ["node", "dist/index.js"], env: {}, cwd: "/work/plugin" },
  },
  server: { name: "shop", version: "1.0.0", protocolVersion: "2025-11-25", capabilities: {} },
  tools: toolsOf(number),
});

const loaded = (number: number) => () =>
  load.run(
    {},
    context({
      plugin: {
        load: ok(pluginOf(number)),
      },
      tests: {
        list: () => [],
        problems: () => [],
      },
    }),
  );
const listed = (number: number) => () =>
  listTools.run(
    {},
    context({
      plugin: {
        tools: () => toolsOf(number),
      },
    }),
  );

const drifted = (number: number) => () => {
  const changes = times(number, (at): DriftChange => ({
    group: "config",
    change: "changed",
    name: `/etc/service-${at}.conf`,
    diff: times(20, (line) => `+option_${line} = on`).join("\n"),
  }));
  return checkDrift.run(
    {},
    context({
      environment: {
        drift: ok({ drifted: true, changes }),
      },
      plugin: {
        status: status,
      },
    }),
  );
};
const status = () => ({ state: "ready", tools: 1, connections: [] });

const linted = (number: number) => () => {
  const findings = times(number, (at): Finding => ({
    severity: "warning",
    code: `description-${at % 4}`,
    tool: `orders_find_${at}`,
    message: "The description says nothing of what comes back, which a model has to guess.",
  }));
  const tokenCost = {
    tokenizer: "o200k_base",
    list: { bytes: 40_000, tokens: 10_000 },
    tools: times(number, (at) => ({ tool: `orders_find_${at}`, bytes: 400, tokens: 100 })),
    answers: [],
  };
  return lint.run(
    {},
    context({
      contract: {
        lint: ok(findings),
        tokenCost: ok(tokenCost),
      },
    }),
  );
};

const compared = (number: number) => () => {
  const check: ContractCheck = {
    baseline: ".pth/contract.json",
    changes: times(number, (at) => ({
      impact: "breaking",
      code: "required-field-added",
      path: `tools/orders_find_${at}/inputSchema/properties/customer`,
      message: "customer is new and required",
    })),
    breaking: number,
    tools: number,
  };
  return checkContract.run(
    {},
    context({
      contract: {
        check: ok(check),
      },
    }),
  );
};

const ran = (lines: number) => () => {
  const stdout = times(lines, (at) => `line ${at} of what the command says`).join("\n");
  return exec.run(
    { command: "cat log" },
    context({
      environment: {
        exec: ok({ code: 0, signal: null, stdout, stderr: "", truncated: false, durationMs: 5 }),
      },
    }),
  );
};

const documented = (lines: number) => () =>
  updateDocs.run(
    {},
    context({
      export: {
        docs: ok({
          path: "README.md",
          changed: true,
          diff: times(lines, (at) => `+| \`field_${at}\` | string | What it is for |`).join("\n"),
          undocumented: times(lines, (at) => `orders_find_${at}`),
          withoutExample: [],
        }),
      },
    }),
  );

const answers: [string, (size: number) => () => Promise<ToolAnswer>, number, number][] = [
  ["pth_load_plugin", loaded, 10, 2000],
  ["pth_list_plugin_tools", listed, 10, 100],
  ["pth_check_environment_drift", drifted, 2, 500],
  ["pth_lint_plugin", linted, 10, 2000],
  ["pth_check_contract", compared, 5, 2000],
  ["pth_exec_in_environment", ran, 20, 50_000],
  ["pth_update_plugin_docs", documented, 10, 2000],
];

for (const [name, of, few, many] of answers) {
  t.test(`${name}: little says it in ${usual} tokens, much in one page`, async (t) => {
    const small = countTokens((await of(few)()).text);
    t.ok(small < usual, `${small} tokens`);
    const large = countTokens((await of(many)()).text);
    t.ok(large < most, `${large} tokens`);
    t.comment(`${small}, ${large} tokens`);
  });
}
