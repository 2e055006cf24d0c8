import * as z from "zod";
import { testCaseSchema } from "../output/test_case_schema.ts";
import { defineTool } from "../tool.ts";

export default defineTool({
  title: "Create a test",
  description:
    "Add one test as YAML to .pth/tests of the worktree. Tier 1: name, tool, input, expect (output_contains, output_json, error_contains …), " +
    "verify (exec, expect_stdout …). Tier 2: steps, each a call or read_resource, get_prompt, wait_for, with expect, capture, replies. " +
    "Tier 3: prompt or tool_sequence, checklist. Mistakes come all at once, with line and column. Next: pth_run_test({ id }).",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  input: z.strictObject({
    yaml: z.string().min(1).describe(
      'name: adds two numbers\ntool: add\ninput: {a: 1, b: 2}\nexpect: {output_contains: "3"}\n' +
        "or: name: a user can be read\nsteps:\n- tool: create_user\n  input: {name: ann}\n  capture: {id: $.output.id}\n" +
        "- tool: get_user\n  input: {id: $id}\n  expect: {output_contains: ann}",
    ),
  }),
  output: z.object({ test: testCaseSchema }),
  async run({ yaml }, { harness }) {
    const test = await harness.session().tests.create(yaml);
    return {
      text: `Test ${test.id} created${test.file ? ` in ${test.file}` : ""}. Next: pth_run_test({ id: ${
        JSON.stringify(test.id)
      } }).`,
      data: { test },
    };
  },
});
