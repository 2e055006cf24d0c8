/** What fuzzing found, in words. */
import type { FuzzFind, FuzzReport } from "../../machines/model/fuzz.ts";
import { foundText } from "../testing/fuzz/found_text.ts";
import { count, duration, firstLine, lines, listed } from "./words.ts";

const findsShown = 30;
/** Lines of a fault's message. */
const mostLines = 14;

/** Drawn texts may turn a terminal's lines around, or hide in them. */
const visible = (text: string): string =>
  text.replace(/(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu, (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`);

/** A stack trace names its cause at one end or the other: both are kept, and the depth of its lines. */
function messageLines(message: string): string[] {
  const all = message.split("\n").map((line) => `    ${line.trimEnd().slice(0, 300)}`);
  if (all.length <= mostLines) return all;
  return [...all.slice(0, 4), `    … ${all.length - mostLines} lines`, ...all.slice(4 - mostLines)];
}

/** One fault; `rerun` is how its test is run again. */
export function findText(find: FuzzFind, rerun?: string): string {
  const { tool, oracle, severity, message, breach, input, steps, shrinks, shrinkMs, confirmed, test, file } =
    find;
  const kind = severity === "finding" ? "finding" : find.category ?? "failure";
  return visible(lines(
    `${severity === "finding" ? "~" : "✗"} ${tool}: ${oracle} [${kind}]`,
    ...messageLines(message),
    ...(steps ?? []).slice(0, -1).map((step, index) =>
      `    call ${index + 1}: ${step.tool} ${firstLine(JSON.stringify(step.input), 300)}`
    ),
    `    input: ${firstLine(JSON.stringify(input), 500)}${breach === undefined ? "" : ` (${breach})`}`,
    severity === "failure" && oracle !== "memory_growth" &&
      `    ${count(shrinks, "shrink")} in ${duration(shrinkMs)}${
        confirmed ? ", confirmed on a fresh server" : "; one call on a fresh server did not show it again"
      }`,
    file !== undefined && `    test: ${file}`,
    test !== undefined && rerun !== undefined && `    again: ${rerun}`,
  ));
}

export function fuzzText(report: FuzzReport, rerun: (find: FuzzFind) => string | undefined): string {
  const { seed, runs, tools, finds, heldBack, restarts, durationMs, cutShort } = report;
  const calls = tools.reduce((sum, tool) => sum + tool.calls, 0);
  return lines(
    ...listed(finds.map((find) => findText(find, rerun(find))), findsShown),
    ...listed(tools.flatMap(({ tool, note }) => note === undefined ? [] : [`${tool}: ${note}`]), 20),
    ...listed(heldBack.map(({ tool, reason }) => `Held back: ${tool} (${reason})`), 20),
    cutShort,
    `${foundText(finds)} in ${
      count(tools.length, "tool")
    }, ${calls} inputs (at most ${runs} each), seed ${seed}, ${
      duration(durationMs)
    }, server started anew ${restarts} times`,
  );
}
