/** `expect_stdout_matches`: the command's output matches this regular expression. */
import { defineAssertion } from "../assertion.ts";
import { matches, patternSchema } from "../match/text_matches.ts";

export default defineAssertion({
  key: "expect_stdout_matches",
  subject: "command",
  schema: patternSchema,
  summary: "What the command prints matches this JavaScript regular expression anywhere",
  caseInsensitive: true,
  check: (expected, { stdout }, options) =>
    matches("stdout", expected, stdout.replace(/\r?\n$/, ""), options),
});
