/** Arguments that all tools which iterate take. */
import { z } from "zod";
import type { IterationRun } from "../../machines/model/iteration.ts";

const fields = {
  scope: z.union([z.enum(["all", "failing"]), z.array(z.string().min(1)).min(1)]).exactOptional(),
  workers: z.union([z.int().min(1).max(64), z.literal("auto")]).exactOptional(),
  timeoutSeconds: z.number().positive().exactOptional(),
  isolation: z.enum(["shared", "per_test"]).exactOptional(),
  coverage: z.boolean().exactOptional(),
  strict: z.boolean().exactOptional(),
  retries: z.int().min(0).max(20).exactOptional(),
  impact: z.boolean().exactOptional(),
  generate: z.boolean().exactOptional(),
};

export const iterationFields = {
  ...fields,
  scope: fields.scope.describe(
    "failing: what failed last, and new tests. Or ids. All run once more before green. Default: all.",
  ),
  workers: fields.workers.describe("This and the next five: as in pth_run_test_suite."),
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
