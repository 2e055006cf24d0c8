/** No process of the server outlives it. */
import { checkFailed, checkPassed, defineCheck } from "../check.ts";
import { skipped } from "../verdict.ts";

export default defineCheck({
  name: "leaves_no_process",
  summary: "leaves no process behind",
  category: "unexpected-side-effect",
  async run(context) {
    await context.tools();
    const { how, orphans } = await context.stop(2000);
    if (how === "disconnected") return skipped("the server runs elsewhere; its processes cannot be seen");
    if (orphans.length === 0) return checkPassed();
    const list = orphans.map((command) => `  ${command}`).join("\n");
    return checkFailed(this.category, `server ended but left processes running:\n${list}`, orphans);
  },
});
