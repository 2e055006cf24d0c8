import * as z from "zod";
import { defineTool, readsOnly } from "../tool.ts";

export default defineTool({
  title: "Get the next page of an answer",
  description:
    "The next page of an answer whose last line names a cursor. A narrower question (a filter, one test) is often better.",
  annotations: readsOnly,
  input: z.strictObject({
    cursor: z.string().min(1),
  }),
  output: z.object({ page: z.string() }),
  async run({ cursor }, { nextPage }) {
    const page = await nextPage(cursor);
    return { text: page, data: { page } };
  },
});
