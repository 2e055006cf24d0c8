/** `output_matches`: the text of the answer matches this regular expression. */
import { defineAssertion } from "../assertion.ts";
import { matches, patternSchema } from "../match/text_matches.ts";

export default defineAssertion({
  key: "output_matches",
  subject: "response",
  schema: patternSchema,
  summary: "Text of the answer matches this JavaScript regular expression anywhere",
  caseInsensitive: true,
  check: (expected, { outcome }, options) => matches("output", expected, outcome.text, options),
});
