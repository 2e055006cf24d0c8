/** An answer that breaks the protocol: malformed JSON-RPC, a result without content. */
import { textExcerpt } from "../../../core/text.ts";
import { defineOracle } from "../oracle.ts";
import { commonText } from "../common_text.ts";

export default defineOracle({
  name: "protocol_error",
  summary: "an answer that is no proper JSON-RPC response or no tool result",
  severity: "failure",
  judge({ outcome, callError, tool }) {
    if (callError?.code === "PROTOCOL_VIOLATION") {
      return {
        signature: commonText(callError.message),
        message: `${tool.name} gave no proper answer: ${callError.message}`,
        category: "protocol-error",
      };
    }
    const breach = outcome?.violations.find(({ kind }) => kind !== "output_schema");
    if (breach === undefined) return undefined;
    return {
      signature: commonText(breach.message),
      message: `${tool.name}: ${breach.message}\n  answer: ${textExcerpt(outcome?.raw, 500)}`,
      category: "protocol-error",
    };
  },
});
