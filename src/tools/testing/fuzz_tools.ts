import { z } from "zod";
import { hostPath } from "../fields.ts";
import { fuzzText } from "../fuzz_text.ts";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Fuzz tools",
  description:
    "Call the plugin's tools with drawn inputs, valid and invalid, and look for crashes, hangs, protocol errors, broken outputSchemas, " +
    "leaked stack traces and growing memory. Each fault is shrunk to a small input, confirmed on a fresh server and written as a test " +
    "that fails by itself and joins the session's. Destructive tools are held back unless asked for. The same seed finds the same. " +
    "Next: pth_diagnose_failure after pth_run_test of a find.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    tools: z.array(z.string().min(1)).exactOptional().describe("Only these plugin tools. Absent: all."),
    runs: z.number().int().min(1).max(100_000).exactOptional().describe("Inputs per tool. Default: 100."),
    seed: z.number().int().exactOptional().describe("Repeats an earlier search. Default: a new one."),
    sequences: z.boolean().exactOptional().describe(
      "true: also rows of calls, for faults that need more than one. Default: single calls.",
    ),
    includeHeldBack: z.boolean().exactOptional().describe("true: also destructive and open-world tools."),
    timeoutSeconds: z.number().positive().exactOptional()
      .describe("A call without an answer or progress for so long hangs. Default: 5."),
    timeSeconds: z.number().positive().exactOptional()
      .describe("Limit of the whole search. Default: none."),
    output: hostPath.exactOptional()
      .describe(
        "Absolute folder on this machine for the tests. Default: .pth/tests/fuzz of the session's worktree.",
      ),
  }),
  async run(request, context) {
    const report = await context.harness.session().fuzz(request, requestOptions(context));
    const finds = report.finds.map(({ yaml: _, test, ...find }) =>
      test === undefined ? find : { ...find, test: test.id }
    );
    return {
      text: fuzzText(report, ({ test }) => test && `pth_run_test({ id: "${test.id}" })`),
      data: { ...report, finds },
    };
  },
});
