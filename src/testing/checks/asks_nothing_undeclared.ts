/** While it starts and lists, a server uses no capability that the client did not declare (MCP, "Lifecycle: operation"). */
import type { Finding } from "../../../machines/model/verdict.ts";
import { oneLine } from "../../core/text.ts";
import { checkFailed, checkPassed, defineCheck } from "../check.ts";
import { incidentsAtStart } from "../judge/incident_findings.ts";

/** The first revision that says MUST. */
const binding = "2025-06-18";

export default defineCheck({
  name: "asks_nothing_undeclared",
  summary: "requests nothing that its client did not declare, while it starts and lists",
  category: "protocol-error",
  onlyAsks: true,
  async run({ server, tools, incidents }) {
    await tools();
    // Work that the server began when it was initialized has had another turn by then.
    await tools();
    const asked = incidentsAtStart(incidents(), "undeclared-request");
    const methods = [...new Set(asked)].slice(0, 5).map((method) => oneLine(method, 80));
    if (methods.length === 0) return checkPassed();
    const message = `server requested ${methods.join(", ")} of a client that did not declare this\n` +
      "  look at the capabilities in initialize before asking: the client refuses, or fails";
    if (server.protocolVersion >= binding) return checkFailed(this.category, message, methods);
    const finding: Finding = { severity: "warning", code: "undeclared-request", message };
    return checkPassed(undefined, [finding]);
  },
});
