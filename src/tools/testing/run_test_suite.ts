import { z } from "zod";
import { detail, testFilter, testOrder, testRun } from "../fields.ts";
import { resultsData, resultsText } from "../results_text.ts";
import { lines } from "../words.ts";
import { defineTool, requestOptions } from "../tool.ts";

const { status: _status, ...filter } = testFilter;

export default defineTool({
  title: "Run the tests",
  description:
    "Run the session's tests, all or those that the filters choose. Answers counts, every failure with its evidence, and findings. A failing " +
    "test is an answer, not an error; a flaky one is no failure. Next: pth_diagnose_failure({}) names the root causes, " +
    "pth_run_iteration({ fixes }) mends them and tests again.",
  core: true,
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  input: z.strictObject({
    workers: z.union([z.int().min(1).max(64), z.literal("auto")]).exactOptional()
      .describe(
        "Server instances side by side. auto (default): 1 unless every tool under test calls itself read-only.",
      ),
    ...filter,
    failedOnly: z.boolean().exactOptional().describe("true: only those that failed last time."),
    ...testRun,
    ...testOrder,
    bail: z.int().min(1).exactOptional().describe("Stop after so many failures."),
    detail,
  }),
  async run({ detail, failedOnly, ...suite }, context) {
    const options = failedOnly ? { ...suite, status: "failed" as const } : suite;
    const outcome = await context.harness.session().runSuite(options, requestOptions(context));
    const next = outcome.summary.failed === 0
      ? "Next: pth_end_session({}), or more tests with pth_create_test."
      : "Next: pth_diagnose_failure({}), then pth_run_iteration({ fixes }).";
    return {
      text: lines(...(outcome.notes ?? []), resultsText(outcome), next),
      data: resultsData(outcome, detail),
    };
  },
});
