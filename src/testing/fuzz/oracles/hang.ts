/** Finds calls without an answer or a sign of life in time. A call that reports progress is slow, not stuck. */
import { defineOracle } from "../oracle.ts";

export default defineOracle({
  name: "hang",
  summary: "no answer within the limit, and no notification about the call",
  severity: "failure",
  judge({ silence, tool }) {
    if (silence === undefined || silence.progress > 0) return undefined;
    const others = silence.answersPing
      ? "the server still answers ping"
      : "the server no longer answers ping either";
    return {
      signature: silence.answersPing ? "no answer" : "no answer to anything",
      message: `${tool.name} gave no answer within ${Math.round(silence.afterMs / 100) / 10} s; ${others}`,
      category: "timeout",
    };
  },
});
