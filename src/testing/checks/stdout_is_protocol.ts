/**
 * Checks that stdout carries JSON-RPC only from the start (MCP, "stdio": the server must not write anything else there). What
 * is written later is told by the tests of the tool that writes it, and by `ends_on_eof`.
 */
import { checkFailed, checkPassed, defineCheck } from "../check.ts";
import { count, textExcerpt } from "../../core/text.ts";
import { incidentsAtStart } from "../judge/incident_findings.ts";
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
    const lines = incidentsAtStart(context.incidents(), "stdout-noise");
    if (lines.length === 0) return checkPassed();
    const shown = lines.slice(0, 5).map((line) => `  ${textExcerpt(line, 200)}`).join("\n");
    return checkFailed(
      this.category,
      `before any tool was called, the server wrote ${count(lines.length, "line")} on stdout that ${
        lines.length === 1 ? "is" : "are"
      } no JSON-RPC; logs belong on stderr\n${shown}`,
      lines.slice(0, 5),
    );
  },
});
