/** The server's process ends, or its connection closes. */
import { indentedTail } from "../../../core/text.ts";
import { describeFailure } from "../../judge/evaluate_aborted_test.ts";
import { defineOracle } from "../oracle.ts";
import { traceSignature } from "../common_text.ts";

export default defineOracle({
  name: "crash",
  summary: "the server ends during the call or right after its answer",
  severity: "failure",
  judge({ loss, tool }) {
    if (loss === undefined) return undefined;
    const how = describeFailure(loss);
    const stderr = indentedTail(loss.stderrTail);
    return {
      signature: `${how}: ${traceSignature(loss.stderrTail)}`,
      message: `${tool.name} ended the server: it ${how}${stderr === "" ? "" : `\n  stderr:\n${stderr}`}`,
      category: loss.reason === "protocol" ? "protocol-error" : "runtime-exception",
    };
  },
});
