/** `pth preflight`: is everything here that a run needs? */
import pc from "picocolors";
import type { PreflightCheck } from "../../api/harness.ts";
import { wrapColumns } from "../../core/columns.ts";
import { count, stripEscapes } from "../../core/text.ts";
import { defineCommand } from "../command.ts";
import { withHarness } from "../with_harness.ts";
import { nextStepsFor } from "../../core/next_step.ts";

/** Exit code if a requirement of a run is missing. */
const notReady = 3;

export default defineCommand({
  configure(command) {
    command.argument("[target]", "also check this plugin: a folder or npm:<package>[@version]");
  },
  async run({ operands: [target] }, context) {
    const checks = await withHarness(
      { keep: false },
      context,
      (harness, { race }) => race(harness.preflight(target)),
    );
    const { stdout } = context;
    stdout.write(renderChecks(checks, stdout.colour, stdout.isTerminal ? stdout.columns() : Infinity));
    return checks.some(({ status }) => status === "failed") ? notReady : 0;
  },
});

/** A line per check, what to do below it, and the counts. */
function renderChecks(checks: readonly PreflightCheck[], colour: boolean, columns: number): string {
  const { green, yellow, red, bold, dim } = pc.createColors(colour);
  const marks = { ok: green("✓"), warning: yellow("!"), failed: red("✗") };
  const under = (text: string, indent: number) =>
    wrapColumns(stripEscapes(text), columns - indent).map((line) => " ".repeat(indent) + line);
  const lines = checks.flatMap(({ name, status, message, next, paste }) => [
    ...under(`${name}: ${message}`, 2).map((line, index) =>
      index === 0 ? `${marks[status]} ${bold(`${name}:`)}${line.trimStart().slice(name.length + 1)}` : line
    ),
    ...nextStepsFor("terminal", next).flatMap((step) => under(`→ ${step}`, 4).map(dim)),
    ...(paste === undefined ? [] : paste.trimEnd().split("\n").map((line) => `      ${stripEscapes(line)}`)),
  ]);
  const number = (status: PreflightCheck["status"]) =>
    checks.filter((check) => check.status === status).length;
  const counts = `${number("ok")} ok, ${count(number("warning"), "warning")}, ${number("failed")} failed`;
  return [...lines, "", counts, ""].join("\n");
}
