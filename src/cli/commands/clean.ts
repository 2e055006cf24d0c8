/** `pth clean`: removes what dead sessions left; what a living one holds is never touched. */
import type { CleanedThing, CleanReport } from "../../session/clean.ts";
import { type CommandContext, defineCommand } from "../command.ts";

/** Exit code if a leftover could not be removed. */
const leftBehind = 3;

export default defineCommand({
  configure(command) {
    command
      .option("--dry-run", "print what would be removed, without removing it")
      .option(
        "--all",
        "also remove what --keep left and what no session register lists; check with --dry-run first",
      )
      .option(
        "--cache",
        "also remove the installed packages and versions of agents that are kept for later runs",
      );
  },
  async run({ options }, context) {
    const [{ clean }, { registry }] = await Promise.all([
      import("../../session/clean.ts"),
      import("../../runtimes/_registry.ts"),
    ]);
    const report = await clean({
      runtimes: registry,
      dryRun: options.dryRun === true,
      all: options.all === true,
      cache: options.cache === true,
    });
    printOutput(report, context);
    return report.failed.length === 0 ? 0 : leftBehind;
  },
});

/** Prints removed leftovers on stdout, failures on stderr. */
export function printOutput(
  report: CleanReport,
  { stdout, stderr }: Pick<CommandContext, "stdout" | "stderr">,
): void {
  const { dryRun, removed, failed, kept, liveSessions, unreachable } = report;
  for (const thing of removed) stdout.write(line(dryRun ? "would remove" : "removed", thing));
  for (const thing of kept) stdout.write(line("kept", thing));
  if (removed.length + failed.length === 0) stdout.write("nothing to remove\n");
  if (liveSessions.length > 0) stdout.write(`not touched: running sessions ${liveSessions.join(", ")}\n`);
  for (const thing of failed) stderr.write(line("could not remove", thing));
  for (const { runtime, reason } of unreachable) stderr.write(`could not query ${runtime}: ${reason}\n`);
}

const line = (verb: string, { kind, name, reason }: CleanedThing): string =>
  `${verb} ${kind} ${name}${reason === undefined ? "" : `: ${reason}`}\n`;
