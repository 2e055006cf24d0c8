/** Arguments that several tools take. */
import { z } from "zod";

export const detail = z.boolean().exactOptional()
  .describe("true: everything, uncut. Default: a short answer.");

export const tier = z.literal([1, 2, 3]);

export const environmentPath = z.string().min(1)
  .describe("Path inside the environment; relative ones start at the plugin's folder.");

export const hostPath = z.string().startsWith("/", "expected an absolute path")
  .describe("Absolute path on this machine.");

export const variables = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean()]).transform(String),
);

export const retries = z.number().int().min(0).max(10).exactOptional().describe(
  "How often what may be over in a moment (no network, no engine) is tried again, after longer and longer pauses. Default: 2.",
);

/** How tests run, for one test and for a suite. */
export const testRun = {
  timeoutSeconds: z.number().positive().exactOptional()
    .describe("Replaces the tiers' default limits (10, 30, 120 s), not a limit that a test sets itself."),
  isolation: z.enum(["shared", "per_test"]).exactOptional()
    .describe("per_test restarts the plugin's server for each test. Default: shared."),
  coverage: z.boolean().exactOptional().describe(
    "true: measure which code of the plugin each test runs, on one server, which is started anew for it where needed. Then read " +
      "pth_get_coverage_report and pth_get_test_impact.",
  ),
  strict: z.boolean().exactOptional().describe(
    "true: a tool that accepts what its schema forbids fails; default: a finding.",
  ),
  retries: z.number().int().min(0).max(20).exactOptional().describe(
    "How often a failed test runs again, after all others. One that passes at times is flaky, with its rate and how sure that is; one that " +
      "never passes is failed. Default: 0.",
  ),
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
export const testOrder = {
  lastFailed: z.boolean().exactOptional().describe(
    "true: only what failed or was flaky in the latest run on this machine, also in an earlier session; all where nothing did.",
  ),
  shuffle: z.boolean().exactOptional().describe("true: in an order drawn from the seed; checks stay first."),
  seed: z.number().int().min(0).exactOptional()
    .describe("Draws the same again. Default: a new one, told in a note."),
  shard: z.strictObject({ index: z.number().int().min(1), of: z.number().int().min(1) }).exactOptional()
    .describe(
      "The part index (from 1) of so many: the parts together are the suite. With shuffle, give a seed.",
    ),
};

/** Which tests: every given field must match. */
export const testFilter = {
  tag: z.string().min(1).exactOptional(),
  tier: tier.exactOptional().describe("1 tool calls, 2 scenarios, 3 agent-driven."),
  status: z.enum(["passed", "failed", "skipped", "flaky"]).exactOptional()
    .describe("By the latest result of each test."),
  generatedFrom: z.enum(["schema", "source_analysis", "documentation", "config", "manual"]).exactOptional(),
  tool: z.string().min(1).exactOptional().describe("Tests of this plugin tool."),
  grep: z.string().min(1).refine(isPattern, "expected a regular expression").exactOptional()
    .describe("Regular expression on the name."),
};
