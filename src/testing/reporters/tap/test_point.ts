/** One test as TAP has it, with its diagnostics as YAML. */
import { stringify } from "yaml";
import type { TestResult } from "../../../../machines/model/test_result.ts";
import { indentLines, plainLine, showValue, stripEscapes } from "../../../core/text.ts";

/** `ok 1 - name # SKIP reason`, and below it what else is known. */
export function testPoint(number: number, result: TestResult): string {
  const mark = result.status === "failed" ? "not ok" : "ok";
  const skip = result.status === "skipped" ? ` # SKIP ${escapeTap(result.note ?? "")}`.trimEnd() : "";
  return `${mark} ${number} - ${escapeTap(result.name)}${skip}\n${diagnostics(result)}`;
}

function diagnostics(result: TestResult): string {
  const facts = {
    duration_ms: Math.round(result.durationMs * 1000) / 1000,
    ...(result.status === "flaky" ? { flaky: true } : {}),
    ...(result.flakiness === undefined ? {} : { flakiness: { ...result.flakiness } }),
    ...text("tool", result.tool),
    ...(result.status === "failed" ? failure(result) : {}),
    ...(result.status === "skipped" ? {} : text("note", result.note)),
    ...(result.findings.length === 0
      ? {}
      : { findings: result.findings.map((finding) => `${finding.code}: ${stripEscapes(finding.message)}`) }),
    ...(result.file === undefined ? {} : { at: { file: result.file, line: result.line ?? 1 } }),
  };
  return indentLines(`---\n${stringify(facts, { lineWidth: 0, blockQuote: "literal" })}...`, "  ") +
    "\n";
}

function failure(result: TestResult): Record<string, unknown> {
  return {
    ...text("message", result.message),
    severity: "fail",
    ...text("category", result.category),
    ...(result.expected === undefined ? {} : { expected: stripEscapes(showValue(result.expected)) }),
    ...(result.actual === undefined ? {} : { actual: stripEscapes(showValue(result.actual)) }),
    ...text("stderr", result.stderrTail?.trimEnd()),
  };
}

const text = (key: string, value: string | undefined): Record<string, string> =>
  value === undefined || value === "" ? {} : { [key]: stripEscapes(value) };

/** One line in which neither "#" nor "\" means anything. */
export const escapeTap = (line: string): string => plainLine(line).replaceAll(/[\\#]/g, "\\$&");
