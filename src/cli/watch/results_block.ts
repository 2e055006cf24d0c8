/** What a round came to, in as few lines as tell it. */
import type { SuiteSummary, TestResult } from "../../../machines/model/test_result.ts";
import { countedTail, formatDuration, indentLines, plainLine, stripEscapes } from "../../core/text.ts";

const failuresShown = 10;
const linesShown = 6;

export function resultsBlock(summary: SuiteSummary, results: readonly TestResult[]): string {
  const { passed, failed, skipped, flaky, durationMs } = summary;
  const counts = [
    `${passed} passed`,
    `${failed} failed`,
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(flaky > 0 ? [`${flaky} flaky`] : []),
  ];
  const bad = results.filter(({ status }) => status === "failed" || status === "flaky");
  const more = bad.length > failuresShown ? [`  … and ${bad.length - failuresShown} more`] : [];
  return [
    ...bad.slice(0, failuresShown).map(failure),
    ...more,
    `  ${failed === 0 ? "✓" : "✗"} ${counts.join(", ")} in ${formatDuration(durationMs)}`,
  ].join("\n");
}

function failure({ name, status, message, note }: TestResult): string {
  const head = `  ${status === "flaky" ? "~" : "✗"} ${plainLine(name)}`;
  const words = status === "flaky" ? note : message;
  return words === undefined
    ? head
    : `${head}\n${indentLines(countedTail(stripEscapes(words), linesShown), "      ")}`;
}
