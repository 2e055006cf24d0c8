/** `ping` gets an empty result: clients that watch their servers take any other for dead (MCP, "Ping"). */
import { modernRevision } from "../../client/initialize_connection.ts";
import { oneLine } from "../../core/text.ts";
import { checkFailed, checkPassed, defineCheck } from "../check.ts";
import { skippingVerdict } from "../judge/failing_verdict.ts";

export default defineCheck({
  name: "answers_ping",
  summary: "answers a ping",
  category: "protocol-error",
  onlyAsks: true,
  async run({ server, ask }) {
    if (server.protocolVersion === modernRevision) {
      return skippingVerdict(`protocol ${modernRevision} has no ping`);
    }
    const { kind, code, text, raw, violations: [violation] } = await ask("ping");
    if (violation !== undefined) {
      return checkFailed(this.category, `the answer to ping is malformed: ${violation.message}`, raw);
    }
    if (kind === "result") return checkPassed();
    return checkFailed(
      this.category,
      `ping was answered with error ${code}: ${oneLine(text)}\n` +
        "  clients that watch their servers take this one for dead: answer ping with an empty result",
      raw,
    );
  },
});
