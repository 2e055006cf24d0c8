import * as z from "zod";
import { PthError } from "../../core/errors.ts";
import { iterationFieldsAsElsewhere, iterationRun } from "../fields.ts";
import { outcomeData } from "../outcome_data.ts";
import { outcomeText } from "../text/outcome_text.ts";
import { iterationOutcome } from "../output/iteration.ts";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Run iterations until green",
  description:
    "Iterations with a fixer command, until no test fails, maxIterations are made or `patience` of them brought no " +
    "progress. Answers iterations, trend and commits. Tools that change something are refused meanwhile; pth_get_iteration_status({}) " +
    "shows progress. To make fixes yourself: pth_run_iteration.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    fixer: z.string().min(1).exactOptional().describe(
      "Required: shell command, run on this machine in a checkout of its own for each root cause, with the diagnosis as JSON on stdin. " +
        "It edits files or prints a patch.",
    ),
    fixerTimeoutSeconds: z.number().positive().exactOptional().describe("For each answer. Default: 600."),
    maxIterations: z.int().min(1).max(1000).default(10),
    patience: z.int().min(1).max(1000).default(3),
    ...iterationFieldsAsElsewhere,
  }),
  output: iterationOutcome,
  async run({ fixer, fixerTimeoutSeconds, maxIterations, patience, ...run }, context) {
    if (fixer === undefined) throw noFixer();
    const outcome = await context.harness.session().loop.run({
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
  new PthError("INVALID_INPUT", "Cannot run the loop: no fixer is given", {
    next: [
      "Make them yourself, one iteration at a time: pth_run_iteration({}) answers the root causes, pth_run_iteration({ fixes }) applies " +
      "yours and tests again",
      'Or name a command that makes them: pth_run_iteration_loop({ fixer: "<command>" })',
    ],
  });
