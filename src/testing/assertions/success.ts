/** `success`: whether the call should succeed. A JSON-RPC error is a failure like `isError`. */
import * as z from "zod";
import { defineAssertion } from "../assertion.ts";
import { textExcerpt } from "../../core/text.ts";
import { failureKind } from "../judge/failure_kind.ts";

export default defineAssertion({
  key: "success",
  subject: "response",
  schema: z.boolean(),
  summary: "Whether the call should succeed; `false` means `isError` or a JSON-RPC error",
  check(expected, { outcome, input }) {
    const actual = !outcome.isError;
    const kind = failureKind(outcome, input);
    return {
      pass: actual === expected,
      expected,
      actual,
      message: () =>
        expected
          ? `expected success, got ${
            outcome.kind === "rpc_error" ? `JSON-RPC error ${outcome.code}` : "an error"
          }: ${textExcerpt(outcome.text, 1000)}`
          : `expected an error, but the call succeeded\n  actual: ${textExcerpt(outcome.text, 1000)}`,
      ...(kind === undefined ? {} : { category: kind }),
    };
  },
});
