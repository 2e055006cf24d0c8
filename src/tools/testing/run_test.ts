import { z } from "zod";
import { testRun } from "../fields.ts";
import { resultText } from "../results_text.ts";
import { defineTool, requestOptions } from "../tool.ts";

export default defineTool({
  title: "Run one test",
  description:
    "Run a single test by its id, for example after a change. Answers its result in full: status, category, expected and actual, the " +
    "server's stderr. A failing test is an answer, not an error.",
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  input: z.strictObject({ id: z.string().min(1).describe("As in pth_list_tests."), ...testRun }),
  async run({ id, ...options }, context) {
    const result = await context.harness.session().runTest(id, options, requestOptions(context));
    return { text: resultText(result), data: { result } };
  },
});
