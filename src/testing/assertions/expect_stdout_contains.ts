/** `expect_stdout_contains`: the command's output includes this. */
import * as z from "zod";
import { defineAssertion } from "../assertion.ts";
import { contains } from "../match/text_matches.ts";

export default defineAssertion({
  key: "expect_stdout_contains",
  subject: "command",
  schema: z.string(),
  summary: "What the command prints includes this text",
  caseInsensitive: true,
  check: (expected, { stdout }, options) => contains("stdout", expected, stdout, options),
});
