import { z } from "zod";
import { testCaseSchema } from "../output/test_case_schema.ts";
import { count, joinLines } from "../text/format.ts";
import { defineTool } from "../tool.ts";

export default defineTool({
  title: "Delete a test",
  description:
    "Take one test out of the session and of its file under .pth/tests; other tests in the file stay. Answers its YAML, of which " +
    "pth_create_test({ yaml }) makes it again.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({ id: z.string().min(1).describe("As in pth_list_tests.") }),
  output: z.object({
    deleted: testCaseSchema,
    yaml: z.string(),
    file: z.enum(["none", "removed", "kept", "gone"]),
    others: z.number().int().describe("Other tests that its file holds."),
  }),
  async run({ id }, { harness }) {
    const { test, yaml, file, others } = await harness.session().tests.delete(id);
    const fates = {
      none: "It was in no file.",
      gone: `Its file was gone already: ${test.file}.`,
      removed: `Removed with it: ${test.file}.`,
      kept: `${test.file} stays, with ${count(others, "other test")}.`,
    };
    return {
      text: joinLines(
        `Test ${id} deleted. ${fates[file]}`,
        test.generatedFrom === "manual"
          ? "To have it again: pth_create_test({ yaml }) with the text below; from git only what was committed."
          : "To have it again: pth_generate_tests({}), or pth_create_test({ yaml }) with the text below.",
        "",
        yaml.trimEnd(),
      ),
      data: { deleted: test, yaml, file, others },
    };
  },
});
