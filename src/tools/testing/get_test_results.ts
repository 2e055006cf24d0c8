import { z } from "zod";
import { detail, testFilter } from "../fields.ts";
import { resultsData, resultsText, resultText } from "../results_text.ts";
import { lines } from "../words.ts";
import { defineTool } from "../tool.ts";

export default defineTool({
  title: "Read test results",
  description:
    "Results of the latest run of each test, without running anything. Filter by status, tool, tag or name; with detail: true every result " +
    "in full.",
  core: true,
  annotations: { readOnlyHint: true },
  input: z.strictObject({ ...testFilter, detail }),
  // deno-lint-ignore require-await -- an error thrown here has to become a rejection
  async run({ detail, ...filter }, { harness }) {
    const outcome = harness.session().results(filter);
    const rest = outcome.results.filter(({ status }) => status === "passed" || status === "skipped");
    return {
      text: lines(resultsText(outcome), ...(detail ? rest.map(resultText) : [])),
      data: resultsData(outcome, detail),
    };
  },
});
