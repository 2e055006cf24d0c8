/** Failures in full: what was expected, what came, what the server said. */
import { diffLines } from "diff";
import type { TestResult } from "../../../../machines/model/test_result.ts";
import { countedTail, formatDuration, plainLine, showValue, stripEscapes } from "../../../core/text.ts";
import type { TerminalStyle } from "./terminal_style.ts";

const stderrLines = 20;
const valueLines = 40;

export function renderFailures(failures: readonly TestResult[], style: TerminalStyle): string {
  if (failures.length === 0) return "";
  const blocks = failures.map((result, index) => renderFailure(index + 1, result, style));
  return `\n${style.bold("Failures")}\n${blocks.join("")}`;
}

function renderFailure(number: number, result: TestResult, style: TerminalStyle): string {
  const head = style.lines(`${number}) ${plainLine(result.name)}`, 2).join("\n");
  const message = stripEscapes(result.message ?? "failed").trimEnd();
  const sections = [
    style.red(style.lines(message, 5).join("\n")),
    ...comparison(result, message, style),
    ...stderr(result, message, style),
    style.dim(style.lines(origin(result), 5).join("\n")),
    ...(result.own?.rerun === undefined
      ? []
      : [style.dim(style.lines(`alone: ${plainLine(result.own.rerun)}`, 5).join("\n"))]),
  ];
  return `\n${style.bold(head)}\n${sections.join("\n")}\n`;
}

/** Shows expected and actual, unless the message contains them. */
function comparison(result: TestResult, message: string, style: TerminalStyle): string[] {
  const expected = result.expected === undefined ? undefined : stripEscapes(showValue(result.expected));
  const actual = result.actual === undefined ? undefined : stripEscapes(showValue(result.actual));
  const told = (text: string | undefined) =>
    text === undefined || text === "" || message.includes(text.trim()) ||
    message.includes(JSON.stringify(text));
  // Whether a call succeeded is a sentence of its own.
  if (typeof result.expected === "boolean") return [];
  if (told(expected) && told(actual)) return [];
  if (/^[-+ ].*\n[-+ ]/m.test(message) && message.includes("@@")) return [];
  if (expected?.includes("\n") && actual?.includes("\n")) return [lineDiff(expected, actual, style)];
  return [
    ...(expected === undefined || told(expected) ? [] : [labelled("expected", expected, style.green, style)]),
    ...(actual === undefined || told(actual) ? [] : [labelled("actual", actual, style.red, style)]),
  ];
}

function labelled(
  label: string,
  text: string,
  paint: (text: string) => string,
  style: TerminalStyle,
): string {
  const shortened = countedTail(text, valueLines);
  if (!shortened.includes("\n")) return paint(style.lines(`${label}: ${shortened}`, 5).join("\n"));
  return [`     ${label}:`, paint(style.lines(shortened, 7).join("\n"))].join("\n");
}

function lineDiff(expected: string, actual: string, style: TerminalStyle): string {
  const lines = diffLines(expected, actual).flatMap((part) =>
    part.value.replace(/\n$/, "").split("\n").map((line) => {
      const [sign, paint] = part.added
        ? ["+", style.green]
        : part.removed
        ? ["-", style.red]
        : [" ", style.dim];
      return (paint as (text: string) => string)(style.fit(`       ${sign} ${line}`));
    })
  );
  const shown = lines.length <= valueLines
    ? lines
    : [...lines.slice(0, valueLines), `       … ${lines.length - valueLines} lines left out`];
  return [style.dim(style.fit("     - expected  + actual")), ...shown].join("\n");
}

function stderr(result: TestResult, message: string, style: TerminalStyle): string[] {
  const text = stripEscapes(result.stderrTail ?? "").trim();
  const lastLine = text.split("\n").at(-1)!.trim();
  if (text === "" || message.includes(lastLine)) return [];
  return [
    style.fit(result.own === undefined ? "     the server's stderr:" : "     its output:"),
    style.dim(style.lines(countedTail(text, stderrLines), 7).join("\n")),
  ];
}

function origin(result: TestResult): string {
  const place = result.file !== undefined
    ? decidingPlace(result)
    : result.own === undefined && result.generatedFrom !== "manual"
    ? `generated from ${result.generatedFrom}`
    : undefined;
  return [result.category, formatDuration(result.durationMs), place].filter((part) => part !== undefined)
    .join(
      " · ",
    );
}

const decidingPlace = ({ file, line }: TestResult): string => line === undefined ? file! : `${file}:${line}`;
