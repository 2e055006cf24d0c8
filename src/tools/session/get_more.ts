import { z } from "zod";
import { defineTool } from "../tool.ts";

export default defineTool({
  title: "Read on in a long answer",
  description:
    "The next page of an answer that was too long for one: its last line names the cursor. Narrower questions (a filter, one test) are " +
    "often the better way.",
  annotations: { readOnlyHint: true, idempotentHint: true },
  input: z.strictObject({
    cursor: z.string().min(1).describe("As the last line of the answer names it."),
  }),
  output: z.object({ page: z.string() }),
  async run({ cursor }, { nextPage }) {
    const page = await nextPage(cursor);
    return { text: page, data: { page } };
  },
});
