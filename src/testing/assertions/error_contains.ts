/** `error_contains`: the call fails, and its error says this. */
import * as z from "zod";
import { defineAssertion } from "../assertion.ts";
import { textExcerpt } from "../../core/text.ts";
import { contains } from "../match/text_matches.ts";

export default defineAssertion({
  key: "error_contains",
  subject: "response",
  schema: z.string(),
  summary: "The call fails, and the error's text includes this text",
  caseInsensitive: true,
  check(expected, { outcome }, options) {
    if (outcome.isError) return contains("error", expected, outcome.text, options);
    return {
      pass: false,
      expected,
      actual: outcome.text,
      message: () =>
        `expected an error, but the call succeeded\n  actual: ${textExcerpt(outcome.text, 1000)}`,
    };
  },
});
