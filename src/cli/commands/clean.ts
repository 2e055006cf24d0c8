/** `pth clean`: removes what dead sessions left; what a living one holds is never touched. */
import { defineCommand } from "../command.ts";

/** Something could not be removed. */
const leftBehind = 3;

export default defineCommand({
  configure(command) {
    command.option("--dry-run", "only say what would be removed");
  },
  async run({ options }, { stdout, stderr }) {
    const dryRun = options.dryRun === true;
    const [{ clean }, { registry }] = await Promise.all([
      import("../../session/clean.ts"),
      import("../../runtimes/_registry.ts"),
    ]);
    const report = await clean({ runtimes: registry, dryRun });
    const verb = dryRun ? "would remove" : "removed";
    for (const { kind, name } of report.removed) stdout.write(`${verb} ${kind} ${name}\n`);
    for (const { kind, name, reason } of report.failed) {
      stderr.write(`could not remove ${kind} ${name}: ${reason}\n`);
    }
    if (report.removed.length + report.failed.length === 0) stdout.write("nothing to remove\n");
    return report.failed.length === 0 ? 0 : leftBehind;
  },
});
