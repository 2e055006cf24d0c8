/** Mends a plugin of many failures and few causes as a model does, from the session's start to its end. */
import type { Lane, Play } from "./model_server.ts";

export const mended = {
  /** Folder in test/fixtures; its README tells the faults. */
  fixture: "shared_causes_plugin",
  tests: 163,
  failing: 56,
};

/** Fixes of four causes, a line each. */
const fixes = [
  {
    category: "runtime-exception",
    title: "name the currency as it was given",
    edits: [{ path: "lib/money.mjs", find: ".concat(rates.suffix)", replace: "" }],
  },
  {
    category: "wrong-output",
    title: "count months from 0",
    edits: [{ path: "lib/dates.mjs", find: "(year, month, date)", replace: "(year, month - 1, date)" }],
  },
  {
    category: "runtime-exception",
    title: "look items up by the name that shelves have",
    edits: [{ path: "lib/stock.mjs", find: "item.toUpperCase()", replace: "item" }],
  },
  {
    category: "schema-violation",
    title: "answer lines as a number",
    edits: [{
      path: "lib/labels.mjs",
      find: "`${Math.ceil(text.length / width)} lines`",
      replace: "Math.ceil(text.length / width)",
    }],
  },
];

/** The fix of the fifth, in the file that the diagnosis names. */
const lastFix = (path: string) => ({
  category: "dependency-error",
  title: "align columns without a package",
  edits: [
    {
      path,
      find:
        '  const { alignColumns } = await import("column-aligner-that-nobody-installed"); // planted: tables\n',
      replace: "",
    },
    { path, find: "alignColumns([left, right])", replace: "`${left.padEnd(8)}${right}`" },
  ],
});

/** Answers so far, in which one finds what the next call needs. */
export interface Answers {
  /** First group of the pattern's latest match. */
  find(pattern: RegExp): string;
}

export interface Step {
  /** Name that PTH gives it. */
  tool: string;
  input?(answers: Answers): Record<string, unknown>;
}

/** The calls, in their order. */
export const mendingSteps = (pluginPath: string): Step[] => [
  { tool: "pth_start_session", input: () => ({ pluginPath }) },
  { tool: "pth_provision_environment", input: () => ({ runtime: "sandbox" }) },
  { tool: "pth_load_plugin" },
  { tool: "pth_generate_tests" },
  { tool: "pth_run_test_suite" },
  { tool: "pth_diagnose_failure" },
  { tool: "pth_run_iteration", input: () => ({ fixes }) },
  { tool: "pth_diagnose_failure" },
  {
    tool: "pth_apply_fix",
    input: ({ find }) => ({ ...lastFix(find(/dependency-error at (\S+?):\d/)), reload: true }),
  },
  { tool: "pth_run_test_suite" },
  { tool: "pth_get_iteration_status" },
  { tool: "pth_end_session" },
];

/** Titles of the fixes, as commits tell them. */
export const fixTitles = [...fixes, lastFix("")].map(({ title }) => `fix: ${title}`);

/**
 * The session as turns of one call each; at its end a call that nobody offers any more.
 * @param prefix what Claude Code puts before the names of PTH's tools
 * @param toolSearch the model looks tools up before it calls them
 */
export function mendingLane(pluginPath: string, prefix: string, toolSearch: boolean): Lane {
  const [start, ...rest] = mendingSteps(pluginPath) as [Step, ...Step[]];
  const call = ({ tool, input }: Step): Play => (seen) => ({
    calls: [{ tool: prefix + tool, input: input?.(seen) ?? {} }],
  });
  const lookUp = (steps: Step[]): Play[] => {
    const names = new Set(steps.map(({ tool }) => prefix + tool));
    return toolSearch ? [{ calls: [{ tool: "ToolSearch", input: { query: `select:${[...names]}` } }] }] : [];
  };
  return {
    turns: [
      ...lookUp([start]),
      call(start),
      ...lookUp(rest),
      ...rest.map(call),
      call({ tool: "pth_load_plugin" }),
      { text: "The plugin is mended." },
    ],
  };
}
