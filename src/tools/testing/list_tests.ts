import * as z from "zod";
import type { TestCase } from "../../../machines/model/test_case.ts";
import { limitItems } from "../limit_items.ts";
import { detailField, testFilterFields } from "../fields.ts";
import { briefTest, testCaseSchema } from "../output/test_case_schema.ts";
import { omittedRows } from "../output/test_result_schema.ts";
import { problemLine } from "../../core/problems.ts";
import { countSignals, signalsText, testRows } from "../text/test_rows.ts";
import { joinLines, limitedList } from "../text/join_lines.ts";
import { count } from "../../core/text.ts";
import { defineTool, readsOnly } from "../tool.ts";

const brief = ({ id, name, tier, tool, tags, generatedFrom }: TestCase) => ({
  id,
  name,
  tier,
  ...(tool === undefined ? {} : { tool }),
  tags,
  generatedFrom,
});

export default defineTool({
  title: "List tests",
  description:
    "The session's tests: ids for pth_run_test, pth_edit_test and pth_delete_test; many are grouped by tool. With detail names, inputs and " +
    "expectations. Also mistakes in test files.",
  annotations: readsOnly,
  input: z.strictObject({ ...testFilterFields, detail: detailField }),
  output: z.object({
    total: z.number().int(),
    tests: z.array(z.union([testCaseSchema, briefTest])).readonly(),
    leftOut: omittedRows,
    problems: z.array(z.object({
      file: z.string(),
      line: z.number().int(),
      column: z.number().int(),
      message: z.string(),
    })).readonly().exactOptional().describe("Errors in test files, which are not loaded."),
  }),
  // deno-lint-ignore require-await -- an error thrown here has to become a rejection
  async run({ detail, ...filter }, { harness }) {
    const session = harness.session();
    const tests = session.tests.list(filter);
    const problems = session.tests.problems();
    const { rows, leftOut } = limitItems(detail ? tests : tests.map(brief), detail);
    return {
      text: joinLines(
        tests.length === 0
          ? "No test"
          : `${count(tests.length, "test")}: ${signalsText(countSignals(tests))}`,
        ...testRows(tests, detail),
        problems.length > 0 && `Not loaded, ${count(problems.length, "mistake")} in test files:`,
        ...limitedList(problems.map((problem) => `- ${problemLine(problem)}`), detail ? Infinity : 15),
        problems.length > 0 && "Correct them, then pth_load_plugin({}) reads the files again.",
      ),
      data: {
        total: tests.length,
        tests: rows,
        ...(leftOut === undefined ? {} : { leftOut }),
        ...(problems.length === 0 ? {} : { problems }),
      },
    };
  },
});
