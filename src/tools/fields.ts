/** Arguments that several tools take. */
import * as z from "zod";
import { testSources } from "../../machines/model/test_case.ts";
import type { SuiteOptions } from "../../machines/model/suite_options.ts";
import type { IterationRun } from "../../machines/model/iteration.ts";

export const detailField = z.boolean().exactOptional()
  .describe("true: everything, uncut.");

export const tierField = z.literal([1, 2, 3]);

export const environmentPath = z.string().min(1)
  .describe("Path inside the environment, or relative to the plugin's folder.");

export const hostPathField = z.string().startsWith("/", "expected an absolute path")
  .describe("Absolute path on this machine.");

export const variablesField = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean()]).transform(String),
);

export const retriesField = z.number().int().min(0).max(10).exactOptional().describe(
  "Retries after transient failures (no network, no engine). Default: 2.",
);

/** Settings of a run, for one test and for a suite. */
export const testRunFields = {
  timeoutSeconds: z.number().positive().exactOptional()
    .describe("Per test. Default by tier: 10, 30, 120."),
  isolation: z.enum(["shared", "per_test"]).exactOptional()
    .describe("per_test: a new server for each. Default: shared."),
  coverage: z.boolean().exactOptional()
    .describe("Measure it, for pth_get_coverage_report and pth_get_test_impact."),
  strict: z.boolean().exactOptional()
    .describe("Fail tools that accept what their schema forbids."),
  retries: z.number().int().min(0).max(20).exactOptional()
    .describe("Of a failed test; one that then passes is flaky."),
};

/** All own tests, by the framework that fits best. */
export const ownTestsField = z.boolean().exactOptional()
  .describe("Then also the plugin's own tests (pytest, vitest …).");

/** The part of a suite that the field says. */
export const ownTestsOf = (asked: boolean | undefined): Pick<SuiteOptions, "ownTests"> =>
  asked === true ? { ownTests: {} } : {};

function isPattern(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Order and part of a suite. */
export const testOrderFields = {
  lastFailed: z.boolean().exactOptional()
    .describe(
      "Only what failed or was flaky in the latest run, also of an earlier session; all if none did.",
    ),
  shuffle: z.boolean().exactOptional().describe("Random order."),
  seed: z.number().int().min(0).exactOptional().describe("Repeats an earlier random order."),
  shard: z.strictObject({ index: z.number().int().min(1), of: z.number().int().min(1) }).exactOptional()
    .describe("One shard of the suite, from 1."),
};

/** Selects tests: every given field must match. */
export const testFilterFields = {
  tag: z.string().min(1).exactOptional(),
  tier: tierField.exactOptional().describe("1 tool calls, 2 scenarios, 3 agent-driven."),
  status: z.enum(["passed", "failed", "skipped", "flaky"]).exactOptional().describe("Of the latest result."),
  generatedFrom: z.enum(testSources).exactOptional(),
  tool: z.string().min(1).exactOptional().describe("Of this plugin tool."),
  grep: z.string().min(1).refine(isPattern, "expected a regular expression").exactOptional()
    .describe("Regular expression on the name."),
};

const path = z.string().min(1);
const text = z.string();

const edit = z.union([
  z.strictObject({
    path,
    find: text.min(1).describe("Occurs exactly once in the file."),
    replace: text,
  }),
  z.strictObject({ path, content: text.describe("The whole file.") }),
  z.strictObject({ path, delete: z.literal(true) }),
  z.strictObject({ from: path, to: path }),
  z.strictObject({ patch: text.min(1).describe("A unified diff that fits exactly.") }),
], "expected { path, find, replace }, { path, content }, { path, delete: true }, { from, to } or { patch }");

/** One fix; becomes one commit. */
export const fixFields = {
  tests: z.array(z.string().min(1)).default([])
    .describe("Ids or names of the tests that it is for."),
  category: z.string().min(1).exactOptional()
    .describe("Of the failure: runtime-exception, wrong-output …"),
  title: z.string().min(1).describe('First line of the commit, without "fix: ".'),
  body: z.string().exactOptional().describe("Why, and what is done."),
  edits: z.array(edit).min(1).describe("In order; paths are relative to the plugin's folder."),
  snapshot: z.boolean().exactOptional().describe(
    "true: save the environment first, for a fix that installs packages or changes the system.",
  ),
  distro: z.string().min(1).exactOptional().describe("Only for this distribution."),
};

export const fixList = z.array(z.strictObject(fixFields)).min(1);

/** The list for tools that leave describing a fix to another's definition: it costs a model its tokens once. */
export const fixListAsElsewhere = z.array(z.record(z.string(), z.unknown())).min(1).pipe(fixList);

const fields = {
  scope: z.union([z.enum(["all", "failing"]), z.array(z.string().min(1)).min(1)]).exactOptional(),
  workers: z.union([z.int().min(1).max(64), z.literal("auto")]).exactOptional(),
  timeoutSeconds: z.number().positive().exactOptional(),
  isolation: z.enum(["shared", "per_test"]).exactOptional(),
  coverage: z.boolean().exactOptional(),
  strict: z.boolean().exactOptional(),
  retries: z.int().min(0).max(20).exactOptional(),
  ownTests: z.boolean().exactOptional(),
  impact: z.boolean().exactOptional(),
  generate: z.boolean().exactOptional(),
};

export const iterationFields = {
  ...fields,
  scope: fields.scope.describe(
    "failing: what failed last, and new tests. Or ids. All run once more before green. Default: all.",
  ),
  workers: fields.workers.describe("This and the next six: as in pth_run_test_suite."),
  impact: fields.impact.describe(
    "true: after a fix, only tests that it affects and those that failed; all before green.",
  ),
  generate: fields.generate.describe("false: no tests for tools that a fix adds or changes."),
};

/** The fields for tools that leave describing them to another's definition. */
export const iterationFieldsAsElsewhere = {
  ...fields,
  scope: fields.scope.describe("This and the rest: as in pth_run_iteration."),
};

interface IterationArguments extends Pick<IterationRun, "scope" | "generate" | "impact"> {
  workers?: number | "auto";
  timeoutSeconds?: number;
  isolation?: "shared" | "per_test";
  strict?: boolean;
  coverage?: boolean;
  retries?: number;
  ownTests?: boolean;
}

/** The part of a run that those arguments say. */
export function iterationRun(
  { scope, generate, impact, ownTests, ...others }: IterationArguments,
): IterationRun {
  const suite = { ...others, ...ownTestsOf(ownTests) };
  return {
    ...(scope === undefined ? {} : { scope }),
    ...(generate === undefined ? {} : { generate }),
    ...(impact === undefined ? {} : { impact }),
    ...(Object.keys(suite).length === 0 ? {} : { suite }),
  };
}
