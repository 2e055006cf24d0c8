/** An error that the code did not foresee, on an input that the schema allows. */
import { textExcerpt } from "../../../core/text.ts";
import { failureKind } from "../../judge/failure_kind.ts";
import { defineOracle } from "../oracle.ts";
import { traceSignature } from "../common_text.ts";

export default defineOracle({
  name: "leaked_error",
  summary: "a stack trace, a panic or a mistake in the code as the answer to a valid input",
  severity: "failure",
  judge({ outcome, input, valid, tool }) {
    const category = outcome === undefined || !valid ? undefined : failureKind(outcome, input);
    if (category === undefined) return undefined;
    return {
      signature: traceSignature(outcome!.text),
      message: `${tool.name} answered with an error that its code did not foresee: ${
        textExcerpt(outcome!.text, 500)
      }`,
      category,
    };
  },
});
