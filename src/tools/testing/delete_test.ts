import * as z from "zod";
import { testCaseSchema } from "../output/test_case_schema.ts";
import { joinLines } from "../text/join_lines.ts";
import { count } from "../../core/text.ts";
import { defineTool } from "../tool.ts";

export default defineTool({
  title: "Delete a test",
  description:
    "Remove one test from the session and from its file in .pth/tests; other tests in the file stay. Answers its YAML, with which " +
    "pth_create_test({ yaml }) restores it.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({ id: z.string().min(1).describe("As in pth_list_tests.") }),
  output: z.object({
    deleted: testCaseSchema,
    yaml: z.string(),
    file: z.enum(["none", "removed", "kept", "gone"]),
    others: z.number().int().describe("Other tests in its file."),
  }),
  async run({ id }, { harness }) {
    const { test, yaml, file, others } = await harness.session().tests.delete(id);
    const fates = {
      none: "It was not in a file.",
      gone: `Its file was already gone: ${test.file}.`,
      removed: `Removed with it: ${test.file}.`,
      kept: `${test.file} stays, with ${count(others, "other test")}.`,
    };
    return {
      text: joinLines(
        `Test ${id} deleted. ${fates[file]}`,
        test.generatedFrom === "manual"
          ? "To restore it: pth_create_test({ yaml }) with the text below; from git only what was committed."
          : "To restore it: pth_generate_tests({}), or pth_create_test({ yaml }) with the text below.",
        "",
        yaml.trimEnd(),
      ),
      data: { deleted: test, yaml, file, others },
    };
  },
});
