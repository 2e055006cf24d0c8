/** `output_contains`: the text of the answer includes this text. */
import * as z from "zod";
import { defineAssertion } from "../assertion.ts";
import { contains } from "../match/text_matches.ts";

export default defineAssertion({
  key: "output_contains",
  subject: "response",
  schema: z.string(),
  summary: "Text of the answer includes this text",
  caseInsensitive: true,
  check: (expected, { outcome }, options) => contains("output", expected, outcome.text, options),
});
