import { z } from "zod";
import { detail, testFilter } from "../fields.ts";
import { count, listed } from "../words.ts";
import { defineTool } from "../tool.ts";

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
    return {
      text: [
        count(tests.length, "test"),
        ...(detail ? rows : listed(rows, 100, "more; ask with detail: true or a filter")),
      ].join("\n"),
      data: {
        total: tests.length,
        tests: detail ? tests : tests.map(({ id, name, tier, tool, tags, generatedFrom }) => ({
          id,
          name,
          tier,
          ...(tool && { tool }),
          tags,
          generatedFrom,
        })),
      },
    };
  },
});
