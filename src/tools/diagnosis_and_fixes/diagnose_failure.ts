import { z } from "zod";
import { details, diagnosisData, diagnosisText } from "../diagnosis_text.ts";
import { defineTool, requestOptions } from "../tool.ts";
import { lines } from "../words.ts";

export default defineTool({
  title: "Say why tests failed",
  description:
    "Root causes of the failures of the latest run: category, place in the source (file:line), evidence, the tests that share it. Also " +
    "for a plugin that could not be installed, built or started. detail adds the JSON-RPC exchange, stderr, stdout (with verify " +
    "commands), source (places, handler, imports) or the environment's state. Next: pth_run_iteration({ fixes }), which commits fixes, reloads " +
    "and tests again, or pth_apply_fix for one of them.",
  core: true,
  annotations: { readOnlyHint: true },
  input: z.strictObject({
    test: z.string().min(1).exactOptional().describe("Id or name of one failed test. Default: all failures."),
    detail: z.array(z.enum(details)).exactOptional().describe("What to show besides the root causes."),
  }),
  async run({ test, detail = [] }, context) {
    const request = test === undefined ? {} : { tests: [test] };
    const report = await context.harness.session().diagnose(request, requestOptions(context));
    const next = report.groups.length === 0
      ? "Next: run the tests (pth_run_test_suite), or write more of them (pth_create_test)."
      : `Next: pth_run_iteration({ fixes: [{ tests, category, title, edits }] }) commits fixes, reloads and tests again.${
        detail.length > 0 ? "" : ' More: detail: ["source", "stderr", "exchange"].'
      }`;
    return { text: lines(diagnosisText(report, detail), next), data: diagnosisData(report, detail) };
  },
});
