import * as z from "zod";
import { diagnosisData } from "../outcome_data.ts";
import { diagnosisText } from "../text/diagnosis_text.ts";
import { shownParts } from "../text/failure_detail_text.ts";
import { detailField } from "../fields.ts";
import { diagnosisReport } from "../output/diagnosis.ts";
import { defineTool, readsOnly, requestOptions } from "../tool.ts";
import { joinLines } from "../text/join_lines.ts";

export default defineTool({
  title: "Diagnose failures",
  description:
    "Root causes of the latest failures: category, place in the source (file:line), the first call, the tests that share it; also of a " +
    "plugin that could not be installed, built or started. Next: pth_run_iteration({ fixes }), which commits fixes, reloads and retests.",
  core: true,
  annotations: readsOnly,
  input: z.strictObject({
    test: z.string().min(1).exactOptional().describe("Id or name of a failed test. Default: all."),
    show: z.array(z.enum(shownParts)).min(1).exactOptional()
      .describe("More of each cause's first failure; source: places, handler, imports."),
    detail: detailField,
  }),
  output: diagnosisReport,
  async run({ test, detail = false, show = detail ? shownParts : [] }, context) {
    const request = test === undefined ? {} : { tests: [test] };
    const report = await context.harness.session().fixes.diagnose(request, requestOptions(context));
    const [first] = report.diagnoses;
    const next = first === undefined
      ? "Next: run the tests (pth_run_test_suite({})), or write more of them (pth_create_test)."
      : `Next: pth_run_iteration({ fixes: [{ tests, category, title, edits }] }) commits fixes, reloads and tests again.`;
    const more = show.length === 0 && first !== undefined &&
      `More: pth_diagnose_failure({ test: ${
        JSON.stringify(first.testId)
      }, show: ["source", "stderr", "exchange"] })`;
    return {
      text: joinLines(diagnosisText(report, { show, detail }), more, next),
      data: diagnosisData(report, show.length > 0),
    };
  },
});
