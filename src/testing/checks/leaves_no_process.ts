/** No process of the server outlives it. */
import { checkFailed, checkPassed, defineCheck, isServerFault } from "../check.ts";
import { skippingVerdict } from "../judge/failing_verdict.ts";
import type { Finding } from "../../../machines/model/verdict.ts";

/** Clients end a server by signalling the process that they started, and no other. */
const leftBySigterm = (survivors: readonly string[]): Finding => ({
  severity: "warning",
  code: "left-by-sigterm",
  message: `SIGTERM ended the server's process, and what it had started ran on: ${survivors.join(", ")}; ` +
    "clients signal that process alone: end on SIGTERM what was started, or pass it on",
});

/** Note on a launcher that ends without its server, which is its own way and no finding. */
const passedOn = (survivors: readonly string[], launcher: string | undefined): string | undefined =>
  survivors.length > 0 && launcher !== undefined
    ? `${launcher} ended by SIGTERM without passing it on to ${survivors.join(", ")}`
    : undefined;

/** @throws all errors that are no fault of the server */
function ignoreFaults(error: unknown): void {
  if (!isServerFault(error)) throw error;
}

export default defineCheck({
  name: "leaves_no_process",
  summary: "leaves no process behind",
  category: "unexpected-side-effect",
  callsTools: true,
  async run(context) {
    await context.tools();
    // A call that fails is judged by the tests of its tool; here only what it left behind counts.
    await context.exercise?.().catch(ignoreFaults);
    const { how, orphans, survivors } = await context.stop(2000);
    if (how === "disconnected") {
      return skippingVerdict("the server runs elsewhere; its processes cannot be seen");
    }
    const findings = survivors.length > 0 && context.launcher === undefined ? [leftBySigterm(survivors)] : [];
    if (orphans.length === 0) return checkPassed(passedOn(survivors, context.launcher), findings);
    const list = orphans.map((command) => `  ${command}`).join("\n");
    return checkFailed(this.category, `server ended but left processes running:\n${list}`, orphans, findings);
  },
});
