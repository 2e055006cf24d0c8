/** No process of the server outlives it. */
import { checkFailed, checkPassed, defineCheck, isServerFault } from "../check.ts";
import { skippingVerdict } from "../judge/failing_verdict.ts";

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
    const { how, orphans } = await context.stop(2000);
    if (how === "disconnected") {
      return skippingVerdict("the server runs elsewhere; its processes cannot be seen");
    }
    if (orphans.length === 0) return checkPassed();
    const list = orphans.map((command) => `  ${command}`).join("\n");
    return checkFailed(this.category, `server ended but left processes running:\n${list}`, orphans);
  },
});
