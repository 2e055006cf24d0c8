/** An error as text for people: what failed, the raw output, what was tried, what to do next. */
import pc from "picocolors";
import type { PthError } from "../core/errors.ts";
import { factLines } from "../diagnosis/table.ts";
import { countedTail, indentLines, stripEscapes } from "../core/text.ts";
import { nextStepsFor } from "../core/next_step.ts";

/** Lines of raw output that are shown unless PTH_DEBUG asks for all. */
const outputLines = 40;

export function renderTerminalError(error: PthError, options: { colour: boolean; debug: boolean }): string {
  const { red, bold, dim } = pc.createColors(options.colour);
  const { output, tried } = error.context;
  const next = nextStepsFor("terminal", error.context.next);
  const [first, ...more] = stripEscapes(error.message).split("\n");
  const parts = [`${red(bold("error"))} ${bold(first!)}`, ...more.map((line) => `  ${line}`)];
  if (output !== undefined && output.trim() !== "") {
    const shown = stripEscapes(output).trimEnd();
    parts.push(
      "",
      dim("  Output:"),
      indentLines(options.debug ? shown : countedTail(shown, outputLines), "    "),
    );
    if (!options.debug && shown.split("\n").length > outputLines) {
      parts.push(dim("    (PTH_DEBUG=1 shows all)"));
    }
  }
  const facts = factLines(error);
  if (facts.length > 0) parts.push("", indentLines(facts.map(stripEscapes).join("\n"), "  "));
  if (tried !== undefined && tried.length > 0) parts.push("", dim("  Tried:"), list(tried));
  if (next.length > 0) parts.push("", dim("  Next:"), list(next));
  if (options.debug || error.code === "INTERNAL") {
    parts.push("", dim(indentLines(stack(error, options.debug), "  ")));
  }
  return parts.join("\n") + "\n";
}

const list = (lines: readonly string[]): string =>
  lines.map((line) => `    - ${stripEscapes(line)}`).join("\n");

/** The stack for those who debug; for an error that nobody foresaw a way to report it. */
function stack(error: PthError, debug: boolean): string {
  if (!debug) return "Unexpected error. PTH_DEBUG=1 shows its stack trace.";
  const cause = error.cause instanceof Error ? `\ncaused by ${error.cause.stack ?? error.cause.message}` : "";
  return `${error.code}\n${error.stack ?? ""}${cause}`;
}
