/** `output_equals`: the text of the answer is exactly this text. */
import * as z from "zod";
import { defineAssertion } from "../assertion.ts";
import { equals } from "../match/text_matches.ts";

export default defineAssertion({
  key: "output_equals",
  subject: "response",
  schema: z.string(),
  summary: "Text of the answer is exactly this text",
  caseInsensitive: true,
  check: (expected, { outcome }, options) => equals("output", expected, outcome.text, options),
});
