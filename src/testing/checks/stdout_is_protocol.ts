/** Checks that stdout carries JSON-RPC only (MCP, "stdio": the server must not write anything else there). */
import { checkFailed, checkPassed, defineCheck } from "../check.ts";
import { textExcerpt } from "../../core/text.ts";
import { skippingVerdict } from "../judge/failing_verdict.ts";

export default defineCheck({
  name: "stdout_is_protocol",
  summary: "writes nothing but the protocol on stdout",
  category: "protocol-error",
  onlyAsks: true,
  async run(context) {
    if (context.transport === "http") return skippingVerdict("an HTTP server's stdout is its own");
    // Some servers write their banner only when they are first used.
    await context.tools();
    const lines = context.strayOutput();
    if (lines.length === 0) return checkPassed();
    const shown = lines.slice(0, 5).map((line) => `  ${textExcerpt(line, 200)}`).join("\n");
    return checkFailed(
      this.category,
      `server wrote ${lines.length} lines on stdout that are no JSON-RPC; logs belong on stderr\n${shown}`,
      lines.slice(0, 5),
    );
  },
});
