/** What a model does with a plugin of many failures and few causes, from the session's start to its end. */
import type { Lane, Play } from "./model_server.ts";
import type { Call } from "./seen.ts";

const fixture = "shared_causes_plugin";

/** Fixes of the fixture's causes, one line each. */
const fixes = {
  money: {
    category: "runtime-exception",
    title: "name the currency as it was given",
    edits: [{ path: "lib/money.mjs", find: ".concat(rates.suffix)", replace: "" }],
  },
  dates: {
    category: "wrong-output",
    title: "count months from 0",
    edits: [{
      path: "lib/dates.mjs",
      find: "Date.UTC(year, month, date)",
      replace: "Date.UTC(year, month - 1, date)",
    }],
  },
  stock: {
    category: "runtime-exception",
    title: "look items up by the name that shelves have",
    edits: [{ path: "lib/stock.mjs", find: "item.toUpperCase()", replace: "item" }],
  },
  labels: {
    category: "schema-violation",
    title: "answer lines as a number",
    edits: [{
      path: "lib/labels.mjs",
      find: "`${Math.ceil(text.length / width)} lines`",
      replace: "Math.ceil(text.length / width)",
    }],
  },
  tables: {
    category: "dependency-error",
    title: "align columns without a package",
    edits: [
      {
        path: "lib/tables.mjs",
        find:
          '  const { alignColumns } = await import("column-aligner-that-nobody-installed"); // planted: tables\n',
        replace: "",
      },
      { path: "lib/tables.mjs", find: "alignColumns([left, right])", replace: "`${left.padEnd(8)}${right}`" },
    ],
  },
};

export const mending = {
  fixture,
  failing: 56,
  fixes,
  /** The calls in their order, as PTH names its tools. */
  calls: (pluginPath: string): Call[] => [
    { tool: "pth_start_session", input: { pluginPath } },
    { tool: "pth_provision_environment", input: { runtime: "sandbox" } },
    { tool: "pth_load_plugin" },
    { tool: "pth_generate_tests" },
    { tool: "pth_run_test_suite" },
    { tool: "pth_diagnose_failure" },
    {
      tool: "pth_run_iteration",
      input: { fixes: [fixes.money, fixes.dates, fixes.stock, fixes.labels] },
    },
    { tool: "pth_diagnose_failure" },
    { tool: "pth_apply_fix", input: { ...fixes.tables, reload: true } },
    { tool: "pth_run_test_suite" },
    { tool: "pth_get_iteration_status" },
    { tool: "pth_end_session" },
  ],
};

/**
 * Its turns, one call each.
 * @param prefix what Claude Code puts before names of PTH's tools
 * @param toolSearch the model looks tools up before it calls them
 */
export function mendingLane(pluginPath: string, prefix: string, toolSearch: boolean): Lane {
  const [start, ...rest] = mending.calls(pluginPath).map(({ tool, input = {} }) => ({
    tool: prefix + tool,
    input,
  }));
  const lookUp = (calls: Call[]): Play => ({
    calls: [{
      tool: "ToolSearch",
      input: { query: `select:${[...new Set(calls.map(({ tool }) => tool))]}` },
    }],
  });
  return {
    turns: [
      ...(toolSearch ? [lookUp([start!])] : []),
      { calls: [start!] },
      ...(toolSearch ? [lookUp(rest)] : []),
      ...rest.map((call): Play => ({ calls: [call] })),
      { text: "The plugin is mended." },
    ],
  };
}
