/** Renders results of tests of hooks for a terminal. */
import { count, formatDuration, indentLines, visibleText } from "../../core/text.ts";
import { groupBy } from "../../core/values.ts";
import { type HookTestResult, untestedLines } from "../../hooks/ci_hook_report.ts";
import { flakinessText } from "../../testing/run/flakiness.ts";

const marks = { passed: "✔", failed: "✖", skipped: "-", flaky: "~" } as const;

export function hookTestLines(results: readonly HookTestResult[]): string {
  const counted = (status: HookTestResult["status"]) =>
    results.filter((each) => each.status === status).length;
  const more = (["flaky", "skipped"] as const).flatMap((status) =>
    counted(status) === 0 ? [] : [`${counted(status)} ${status}`]
  );
  const counts = [`${counted("passed")} passed`, `${counted("failed")} failed`, ...more];
  return [
    ...[...groupBy(results, ({ shownFile }) => shownFile)].flatMap(([file, own]) => [
      file,
      ...own.flatMap(linesOf),
    ]),
    `${count(results.length, "test")}: ${counts.join(", ")}`,
    ...untestedLines(results),
    "",
  ].map(visibleText).join("\n");
}

const linesOf = (
  { name, shownFile, line, status, messages, durationMs, flakiness }: HookTestResult,
): string[] => [
  `  ${marks[status]} ${name}${status === "skipped" ? "" : `  (${formatDuration(durationMs)})`}`,
  ...(flakiness === undefined ? [] : [`      ${flakinessText(flakiness)}`]),
  ...messages.map((message) => indentLines(message, "      ")),
  ...(status === "failed" ? [`      at ${shownFile}:${line}`] : []),
];
