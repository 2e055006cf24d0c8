/** `expect_stdout`: the command prints exactly this. */
import * as z from "zod";
import { defineAssertion } from "../assertion.ts";
import { equals } from "../match/text_matches.ts";

/** Commands end their output with a line feed, and so do YAML's block texts; neither is meant. */
const trimmed = (text: string): string => text.replace(/\r?\n$/, "");

export default defineAssertion({
  key: "expect_stdout",
  subject: "command",
  schema: z.string(),
  summary: "The command prints exactly this; one line feed at the end does not count",
  caseInsensitive: true,
  check: (expected, { stdout }, options) => equals("stdout", trimmed(expected), trimmed(stdout), options),
});
