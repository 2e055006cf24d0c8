import * as z from "zod";
import { defineTool } from "../tool.ts";

export default defineTool({
  title: "Get the answer of a call that took long",
  description:
    "The answer of a call that went on working and was given a handle: waits up to 45 s for it, else says what the call does now, to be " +
    "asked again. The last 8 answers are kept. Not for test results: pth_get_test_results.",
  dormant: "answers",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    call: z.string().min(1).describe('As the handle names it: "call-1".'),
    cancel: z.boolean().exactOptional().describe("true: stop the call if it still runs."),
  }),
  output: z.looseObject({}).describe("As the call itself would have answered."),
  run: ({ call, cancel }, { answerOf }) => answerOf(call, cancel ?? false),
});
