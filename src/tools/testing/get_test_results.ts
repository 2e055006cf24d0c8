import * as z from "zod";
import { detailField, testFilterFields } from "../fields.ts";
import { resultsSchema } from "../output/test_result_schema.ts";
import { resultsData, resultsText } from "../text/results_text.ts";
import { joinLines } from "../text/join_lines.ts";
import { defineTool, readsOnly } from "../tool.ts";

export default defineTool({
  title: "Read test results",
  description:
    "Latest result of each test, without running anything; more ids than pth_run_test_suite names. With detail each result in full, with " +
    "stderr.",
  core: true,
  annotations: readsOnly,
  input: z.strictObject({ ...testFilterFields, detail: detailField }),
  output: resultsSchema,
  // deno-lint-ignore require-await -- an error thrown here has to become a rejection
  async run({ detail, ...filter }, { harness }) {
    const outcome = harness.session().tests.results(filter);
    const { total, failed } = outcome.summary;
    return {
      text: joinLines(
        resultsText(outcome, { detail, ids: 15 }),
        total === 0 && "Next: pth_run_test_suite({}).",
        failed > 0 && "Next: pth_diagnose_failure({}).",
      ),
      data: resultsData(outcome, detail),
    };
  },
});
