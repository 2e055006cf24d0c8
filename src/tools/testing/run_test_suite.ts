import * as z from "zod";
import {
  detailField,
  ownTestsField,
  ownTestsOf,
  testFilterFields,
  testOrderFields,
  testRunFields,
} from "../fields.ts";
import { exerciseLine } from "../../testing/exercise/exercise_text.ts";
import { limitItems } from "../limit_items.ts";
import { exerciseSchema, resultsSchema } from "../output/test_result_schema.ts";
import { type Results, resultsData, resultsText } from "../text/results_text.ts";
import { joinLines } from "../text/join_lines.ts";
import { defineTool, requestOptions } from "../tool.ts";

const { status: _status, ...filter } = testFilterFields;

export default defineTool({
  title: "Run the tests",
  description:
    "Run the session's tests, or those that filters choose. Answers counts, failures and skips grouped, with ids, and findings; a failing " +
    "test is no error. Next: pth_diagnose_failure({}).",
  core: true,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    workers: z.union([z.int().min(1).max(64), z.literal("auto")]).exactOptional()
      .describe(
        "Servers in parallel. Default: auto.",
      ),
    ...filter,
    failedOnly: z.boolean().exactOptional().describe("Only those that failed last."),
    ...testRunFields,
    ownTests: ownTestsField,
    ...testOrderFields,
    bail: z.int().min(1).exactOptional().describe("Stop after N failures."),
    detail: detailField,
  }),
  output: resultsSchema.extend({
    notes: z.array(z.string()).exactOptional(),
    exercise: z.array(exerciseSchema).readonly().exactOptional(),
  }),
  async run({ detail, failedOnly, ownTests, ...asked }, context) {
    const suite = { ...asked, ...ownTestsOf(ownTests) };
    const options = failedOnly ? { ...suite, status: "failed" as const } : suite;
    const outcome = await context.harness.session().tests.runSuite(options, requestOptions(context));
    const { notes = [], exercise = [] } = outcome;
    return {
      text: joinLines(
        resultsText(outcome, { detail }),
        exercise.length > 0 && exerciseLine(exercise),
        nextText(outcome),
      ),
      data: {
        ...resultsData(outcome, detail),
        ...(notes.length === 0 ? {} : { notes }),
        ...(exercise.length === 0 ? {} : { exercise: limitItems(exercise, detail).rows }),
      },
    };
  },
});

function nextText({ summary: { passed, failed, flaky } }: Results): string {
  if (failed > 0) return "Next: pth_diagnose_failure({}), then pth_run_iteration({ fixes }).";
  return passed + flaky > 0
    ? "Next: pth_end_session({}), or more tests: pth_create_test({ yaml })."
    : "No test passed or failed, so nothing is shown. Next: pth_create_test({ yaml }) with inputs that the tools accept.";
}
