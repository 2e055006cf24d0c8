import { z } from "zod";
import { detailField, hostPathField } from "../fields.ts";
import { fuzzText } from "../text/fuzz_text.ts";
import { fuzzReport } from "../output/fuzz_report.ts";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Fuzz tools",
  description:
    "Call tools with random inputs to find crashes, hangs, protocol errors, broken outputSchemas, leaked stack traces and growing memory. " +
    "Each fault is shrunk to a small input and joins the session's tests. Next: pth_run_test({ id }).",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    tools: z.array(z.string().min(1)).exactOptional().describe("Only these plugin tools."),
    runs: z.number().int().min(1).max(100_000).exactOptional().describe("Inputs per tool. Default: 100."),
    seed: z.number().int().exactOptional().describe("Repeats an earlier search. Default: a new one."),
    sequences: z.boolean().exactOptional().describe(
      "Also sequences of calls.",
    ),
    includeHeldBack: z.boolean().exactOptional().describe("Also destructive and open-world tools."),
    timeoutSeconds: z.number().positive().exactOptional()
      .describe("A call that says nothing for so long hangs. Default: 5."),
    timeSeconds: z.number().positive().exactOptional()
      .describe("Limit of the whole search."),
    output: hostPathField.exactOptional()
      .describe(
        "Absolute folder for the tests. Default: .pth/tests/fuzz of the worktree.",
      ),
    detail: detailField,
  }),
  output: fuzzReport,
  async run({ detail, ...request }, context) {
    const report = await context.harness.session().tests.fuzz(request, requestOptions(context));
    const finds = report.finds.map(({ yaml: _, test, ...find }) =>
      test === undefined ? find : { ...find, test: test.id }
    );
    return {
      text: fuzzText(
        report,
        ({ test }) => test && `pth_run_test({ id: "${test.id}" })`,
        detail ? "whole" : "brief",
      ),
      data: { ...report, finds },
    };
  },
});
