/** `expect_exit_code`: the command exits with this code. */
import * as z from "zod";
import { defineAssertion } from "../assertion.ts";
import { indentedTail } from "../../core/text.ts";

export default defineAssertion({
  key: "expect_exit_code",
  subject: "command",
  schema: z.int().min(0).max(255),
  summary: "The command exits with this code; 0 unless given",
  check: (expected, { code, stdout, stderr }) => ({
    pass: code === expected,
    expected,
    actual: code,
    message: () =>
      [
        `expected exit code ${expected}, got ${code ?? "none: a signal ended the command"}`,
        indentedTail(stderr) || indentedTail(stdout),
      ].filter(Boolean).join(
        "\n",
      ),
  }),
});
