/**
 * Errors that a server's code never handled and its runtime reported on stderr: rejected promises, tasks and threads that
 * died. The call they belong to may have been answered as if nothing had happened.
 *
 * Only the words of runtimes count, at the beginning of a line; a log of the server's own that mentions them does not.
 */
import type { Finding } from "../../../machines/model/verdict.ts";
import { oneLine, plainLine } from "../../core/text.ts";
import { explainedByInput, textsOf } from "./explained_by_input.ts";
import { legible } from "./failure_kind.ts";

export const unhandledErrorFinding = "unhandled-error";

/** Lines by which runtimes, and handlers of last resort, report an unhandled error. */
const reports = [
  /^(?:\(node:\d+\) )?(?:\[?UnhandledPromiseRejection\w*\]?|Unhandled (?:promise )?rejection|Uncaught exception|unhandledRejection|uncaughtException)\b(?!.{0,40}\b(?:handlers?|listeners?|registered|installed|enabled|ignored)\b).*$/im,
  /^(?:Error: )?Uncaught \(in promise\).*$/m,
  /^Task exception was never retrieved\b.*$/m,
  /^Future exception was never retrieved\b.*$/m,
  /^Exception in thread .+:?$/m,
  /^.*RuntimeWarning: coroutine '[^'\n]+' was never awaited$/m,
  /^thread '[^'\n]*' (?:\(\d+\) )?panicked at .*$/m,
  /^goroutine \d+ \[[\w ,]+\]:$/m,
  /^(?:http: )?panic(?: serving [^:\n]+:\d+)?: .*$/m,
];

/** Lines that say what the error was, below those of the report. */
const cause = /^\s*(?:\[?[\w.]*(?:Error|Exception|Interrupt)\b.*|panic: .*|[^\s].*)$/;

/** The report and what it says of the cause, as one line; undefined where there is none. */
export function unhandledError(stderr: string, input: Record<string, unknown> = {}): string | undefined {
  const text = legible(stderr);
  const found =
    reports.flatMap((pattern) => pattern.exec(text) ?? []).sort((a, b) =>
      text.indexOf(a) - text.indexOf(b)
    )[0];
  if (found === undefined) return undefined;
  const rest = text.slice(text.indexOf(found));
  const given = textsOf(input);
  if (given.some((each) => each.includes(found)) || explainedByInput(rest, given)) return undefined;
  const lines = rest.split("\n").slice(0, 30);
  const named = lines.slice(1).findLast((line) => /^[\w.]*(?:Error|Exception)\b.*/.test(line)) ??
    lines.slice(1).find((line) => cause.test(line) && !/^\s+at |^\s*File /.test(line));
  return [found, named].filter((line) => line !== undefined && line.trim() !== "")
    .map((line) => oneLine(plainLine(line!), 160)).join(" · ");
}

/** Moment at which the error was reported: before any call, during the tool's, after its answer, at the server's end. */
export type ReportMoment = "start" | "call" | "after" | "end";

/** @param tool absent for what is laid on no tool */
export const findingOfUnhandled = (
  report: string,
  tool: string | undefined,
  moment: ReportMoment,
): Finding => ({
  severity: "warning",
  code: unhandledErrorFinding,
  ...(tool === undefined ? {} : { tool }),
  message: `${tool ?? "the server"}, ${
    whens[moment]
  }, wrote on stderr of an error that nobody handled, and no answer tells of it: ${report}`,
});

const whens: Record<ReportMoment, string> = {
  start: "while it started",
  call: "while it was called",
  after: "after its answer",
  end: "while it ended",
};
