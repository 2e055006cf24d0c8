import * as z from "zod";
import { testCaseSchema } from "../output/test_case_schema.ts";
import { defineTool } from "../tool.ts";

export default defineTool({
  title: "Edit a test",
  description:
    "Replace one test by new YAML, for example when its expectation was wrong; a generated test becomes a manual one. Next: " +
    "pth_run_test({ id }).",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    id: z.string().min(1).describe("As in pth_list_tests."),
    yaml: z.string().min(1).describe("The whole test, as for pth_create_test."),
  }),
  output: z.object({ test: testCaseSchema }),
  async run({ id, yaml }, { harness }) {
    const test = await harness.session().tests.edit(id, yaml);
    return {
      text: `Test ${test.id} saved${test.file ? ` in ${test.file}` : ""}. Next: pth_run_test({ id: ${
        JSON.stringify(test.id)
      } }).`,
      data: { test },
    };
  },
});
