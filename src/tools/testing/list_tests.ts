import { z } from "zod";
import type { TestCase } from "../../../machines/model/test_case.ts";
import { capped } from "../capped.ts";
import { detail, testFilter } from "../fields.ts";
import { count, listed } from "../words.ts";
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
    "Tests of the session: found in .pth/tests, generated, and created by hand; filters narrow them. Answers id and name; with detail: true " +
    "inputs and expectations. The id goes to pth_run_test and pth_edit_test.",
  annotations: { readOnlyHint: true },
  input: z.strictObject({ ...testFilter, detail }),
  // deno-lint-ignore require-await -- an error thrown here has to become a rejection
  async run({ detail, ...filter }, { harness }) {
    const tests = harness.session().tests(filter);
    const rows = tests.map((test) => `- ${test.id}: ${test.name} [tier ${test.tier}, ${test.generatedFrom}]`);
    const { rows: shown, leftOut } = capped<object>(detail ? tests : tests.map(brief), detail);
    return {
      text: [
        count(tests.length, "test"),
        ...(detail ? rows : listed(rows, 100, "more; ask with detail: true or a filter")),
      ].join("\n"),
      data: { total: tests.length, tests: shown, ...(leftOut === undefined ? {} : { leftOut }) },
    };
  },
});
