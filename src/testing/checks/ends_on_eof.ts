/** An idle server ends within 2 s after its stdin was closed (MCP, "Lifecycle: shutdown"). */
import { checkFailed, checkPassed, defineCheck } from "../check.ts";
import { findingsOfIncidents } from "../judge/incident_findings.ts";
import { skippingVerdict } from "../judge/failing_verdict.ts";

const graceMs = 2000;

/** With a launcher in between it is the server itself that SIGTERM did not reach. */
const ranOn = (survivors: readonly string[]): string =>
  survivors.length === 0 ? "" : `\n  SIGTERM did not reach ${survivors.join(", ")}`;

export default defineCheck({
  name: "ends_on_eof",
  summary: "ends by itself when its input ends",
  category: "protocol-error",
  async run(context) {
    if (context.transport === "http") return skippingVerdict("an HTTP server has no input that could end");
    // Closing stdin before answers have come is another matter: some servers drop them.
    await context.tools();
    const { how, exitCode, survivors } = await context.stop(graceMs);
    if (how === "already-gone") {
      return checkFailed(
        "runtime-exception",
        `server had ended by itself while idle, with exit code ${exitCode}`,
      );
    }
    const findings = findingsOfIncidents(
      context.incidents().filter(({ moment }) => moment.phase === "shutdown"),
    );
    if (how === "stdin-eof") return checkPassed(undefined, findings);
    const needed = how === "sigkill" ? "SIGTERM, and then SIGKILL" : "SIGTERM";
    return checkFailed(
      this.category,
      `server still ran ${graceMs / 1000} s after its stdin was closed; it took ${needed} to end it\n` +
        "  clients that only close stdin leave it running: exit on the end of stdin" +
        ranOn(survivors),
      how,
      findings,
    );
  },
});
