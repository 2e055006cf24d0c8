/** Arguments that both iteration tools take. */
import { z } from "zod";
import type { IterationRun } from "../../machines/model/iteration.ts";
import { testRun } from "./fields.ts";

export const iterationFields = {
  scope: z.union([z.enum(["all", "failing"]), z.array(z.string().min(1)).min(1)]).exactOptional().describe(
    "Tests of each iteration: all (default), failing (those that failed last and new ones), or ids. Before a partial scope counts as " +
      "green, everything runs once more.",
  ),
  workers: z.union([z.int().min(1).max(64), z.literal("auto")]).exactOptional()
    .describe("Server instances side by side, as in pth_run_test_suite."),
  ...testRun,
  impact: z.boolean().exactOptional().describe(
    "true: after a fix, run only the tests that it affects (coverage is measured for that) and those that failed; all run once more " +
      "before it counts as green. Default: where coverage is measured anyway.",
  ),
  generate: z.boolean().exactOptional()
    .describe("false: no tests are generated for tools that a fix adds or changes. Default: true."),
};

interface IterationArguments extends Pick<IterationRun, "scope" | "generate" | "impact"> {
  workers?: number | "auto";
  timeoutSeconds?: number;
  isolation?: "shared" | "per_test";
  strict?: boolean;
  coverage?: boolean;
  retries?: number;
}

/** The part of a run that those arguments say. */
export function iterationRun({ scope, generate, impact, ...suite }: IterationArguments): IterationRun {
  return {
    ...(scope === undefined ? {} : { scope }),
    ...(generate === undefined ? {} : { generate }),
    ...(impact === undefined ? {} : { impact }),
    ...(Object.keys(suite).length === 0 ? {} : { suite }),
  };
}
