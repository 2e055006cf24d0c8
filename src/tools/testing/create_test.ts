import { z } from "zod";
import { defineTool } from "../tool.ts";

export default defineTool({
  title: "Create a test",
  description:
    "Add one test, written as YAML (name, tool, input, expect …), to .pth/tests of the session's worktree. Mistakes are answered all at once, " +
    "with line and column. Next: pth_run_test({ id }).",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  input: z.strictObject({
    yaml: z.string().min(1).describe(
      'For example: name: adds two numbers\ntool: add\ninput: {a: 1, b: 2}\nexpect: {success: true, output_contains: "3"}',
    ),
  }),
  async run({ yaml }, { harness }) {
    const test = await harness.session().createTest(yaml);
    return {
      text: `Test ${test.id} created${test.file ? ` in ${test.file}` : ""}. Next: pth_run_test({ id: ${
        JSON.stringify(test.id)
      } }).`,
      data: { test },
    };
  },
});
