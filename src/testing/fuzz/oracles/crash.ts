/** The server's process ends, or its connection closes. */
import { tail } from "../../../core/excerpt.ts";
import { howItWent } from "../../judge/judge_accident.ts";
import { defineOracle } from "../oracle.ts";
import { traceSignature } from "../signature.ts";

export default defineOracle({
  name: "crash",
  summary: "the server ends during the call or right after its answer",
  severity: "failure",
  judge({ loss, tool }) {
    if (loss === undefined) return undefined;
    const how = howItWent(loss);
    const stderr = tail(loss.stderrTail);
    return {
      signature: `${how}: ${traceSignature(loss.stderrTail)}`,
      message: `${tool.name} ended the server: it ${how}${stderr === "" ? "" : `\n  stderr:\n${stderr}`}`,
      category: loss.reason === "protocol" ? "protocol-error" : "runtime-exception",
    };
  },
});
