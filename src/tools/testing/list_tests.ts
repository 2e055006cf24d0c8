import { z } from "zod";
import type { TestCase } from "../../../machines/model/test_case.ts";
import { capped } from "../capped.ts";
import { detail, testFilter } from "../fields.ts";
import { problemLine } from "../../testing/problems.ts";
import { count, lines, listed } from "../words.ts";
import { defineTool } from "../tool.ts";

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
    "Tests of the session: found in .pth/tests, generated, and created by hand; filters narrow them. Mistakes in test files are told as file:line:column. Answers id and name; with detail: true " +
    "inputs and expectations. The id goes to pth_run_test, pth_edit_test and pth_delete_test.",
  annotations: { readOnlyHint: true },
  input: z.strictObject({ ...testFilter, detail }),
  // deno-lint-ignore require-await -- an error thrown here has to become a rejection
  async run({ detail, ...filter }, { harness }) {
    const session = harness.session();
    const tests = session.tests(filter);
    const problems = session.testProblems();
    const rows = tests.map((test) => `- ${test.id}: ${test.name} [tier ${test.tier}, ${test.generatedFrom}]`);
    const { rows: shown, leftOut } = capped<object>(detail ? tests : tests.map(brief), detail);
    return {
      text: lines(
        count(tests.length, "test"),
        ...(detail ? rows : listed(rows, 100, "more; ask with detail: true or a filter")),
        problems.length > 0 && `Not loaded, ${count(problems.length, "mistake")} in test files:`,
        ...listed(problems.map((problem) => `- ${problemLine(problem)}`), 30),
        problems.length > 0 && "Correct them, then pth_load_plugin({}) reads the files again.",
      ),
      data: {
        total: tests.length,
        tests: shown,
        ...(leftOut === undefined ? {} : { leftOut }),
        ...(problems.length === 0 ? {} : { problems }),
      },
    };
  },
});
