import * as z from "zod";
import { PthError } from "../../core/errors.ts";
import { outlierRows, performanceSummary, performanceTable } from "../../performance/performance_text.ts";
import { staleText } from "../../testing/report/results_verdict.ts";
import { tokenCostText } from "../text/contract_text.ts";
import { detailField } from "../fields.ts";
import { performanceReport } from "../output/performance_report.ts";
import { staleResultsSchema } from "../output/test_result_schema.ts";
import { unmeasuredText } from "../text/unmeasured_text.ts";
import { defineTool, readsOnly } from "../tool.ts";
import { joinLines } from "../text/join_lines.ts";

export default defineTool({
  title: "Get the performance report",
  description:
    "The latest figures of pth_run_performance_suite: which tools stand out and why; with detail all figures of all tools.",
  annotations: readsOnly,
  input: z.strictObject({ detail: detailField }),
  output: z.object({
    ...performanceReport.partial().shape,
    stale: staleResultsSchema.exactOptional(),
  }),
  // deno-lint-ignore require-await -- an error thrown here has to become a rejection
  async run({ detail }, { harness }) {
    const { performance: report, staleMeasurements } = harness.session().report();
    const stale = staleMeasurements?.performance;
    if (report === undefined) {
      throw new PthError("NOT_NOW", "Cannot show performance: no measurements yet", {
        next: ["Measure: pth_run_performance_suite({})"],
      });
    }
    const { calls, outliers, unmeasured, notes } = report;
    return {
      text: joinLines(
        performanceSummary(report),
        stale && staleText(stale),
        ...outlierRows(report),
        ...(detail ? performanceTable(report.tools) : []),
        ...unmeasuredText(report, detail),
        detail && tokenCostText(report.contextCost),
        ...notes,
      ),
      data: {
        ...(detail ? report : { calls, outliers, unmeasured, notes }),
        ...(stale === undefined ? {} : { stale }),
      },
    };
  },
});
