/** Arguments that several tools take. */
import { z } from "zod";
import { testSources } from "../../machines/model/test_case.ts";

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
  "How often passing trouble (no network, no engine) is tried again. Default: 2.",
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
      "Only what failed or was flaky in the latest run, also an earlier session's; all where nothing did.",
    ),
  shuffle: z.boolean().exactOptional().describe("Random order."),
  seed: z.number().int().min(0).exactOptional().describe("Repeats an order that a note told."),
  shard: z.strictObject({ index: z.number().int().min(1), of: z.number().int().min(1) }).exactOptional()
    .describe("One part of the suite, from 1."),
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
