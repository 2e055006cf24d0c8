import { z } from "zod";
import { PthError } from "../../errors.ts";
import { iterationFields, iterationRun } from "../iteration_fields.ts";
import { outcomeData, outcomeText } from "../iteration_text.ts";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Run iterations until green",
  description:
    "Test, diagnose, fix, reload, retest again and again with a command that makes the fixes, until no test fails, maxIterations are made, or " +
    "`patience` of them brought no progress. Needs a fixer; without one drive it yourself with pth_run_iteration. Answers each iteration, the " +
    "trend (improving, plateau, oscillating, regressing) and the commits. Until it has ended, or is cancelled, other tools that change " +
    "something are refused; pth_get_iteration_status tells how far it is, pth_end_session ends it.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    fixer: z.string().min(1).exactOptional().describe(
      "Shell command, run on this machine in the plugin's folder of a checkout of its own, once per root cause, with the diagnosis as JSON on " +
        "stdin. It edits files or prints a patch. Secrets of the server are kept from it.",
    ),
    fixerTimeoutSeconds: z.number().positive().exactOptional().describe(
      "For each answer of it. Default: 600.",
    ),
    maxIterations: z.int().min(1).max(1000).default(10),
    patience: z.int().min(1).max(1000).default(3).describe(
      "Iterations without progress after which it stops.",
    ),
    ...iterationFields,
  }),
  async run({ fixer, fixerTimeoutSeconds, maxIterations, patience, ...run }, context) {
    if (fixer === undefined) throw noFixer();
    const outcome = await context.harness.session().iterate({
      ...iterationRun(run),
      fixer,
      maxIterations,
      patience,
      ...(fixerTimeoutSeconds === undefined ? {} : { fixerTimeoutSeconds }),
    }, requestOptions(context));
    return { text: outcomeText(outcome), data: outcomeData(outcome) };
  },
});

const noFixer = (): PthError =>
  new PthError("INVALID_INPUT", "Cannot run the loop: there is nobody to make fixes", {
    next: [
      "Make them yourself, one iteration at a time: pth_run_iteration({}) answers the root causes, pth_run_iteration({ fixes }) applies " +
      "yours and tests again",
      'Or name a command that makes them: pth_run_iteration_loop({ fixer: "<command>" })',
    ],
  });
