import { z } from "zod";
import { detail, testFilter } from "../fields.ts";
import { results } from "../output/test_result.ts";
import { resultsData, resultsText } from "../text/results_text.ts";
import { lines } from "../text/words.ts";
import { defineTool, readsOnly } from "../tool.ts";

export default defineTool({
  title: "Read test results",
  description:
    "Latest result of each test, without running anything; more ids than pth_run_test_suite names. With detail each result in full, with " +
    "stderr.",
  core: true,
  annotations: readsOnly,
  input: z.strictObject({ ...testFilter, detail }),
  output: results,
  // deno-lint-ignore require-await -- an error thrown here has to become a rejection
  async run({ detail, ...filter }, { harness }) {
    const outcome = harness.session().results(filter);
    const { total, failed } = outcome.summary;
    return {
      text: lines(
        resultsText(outcome, { detail, ids: 15 }),
        total === 0 && "Next: pth_run_test_suite({}).",
        failed > 0 && "Next: pth_diagnose_failure({}).",
      ),
      data: resultsData(outcome, detail),
    };
  },
});
