/** Test results in a few lines: failures in full, everything else counted. */
import type { StaleResults } from "../../machines/model/stale_results.ts";
import type { Finding, SuiteSummary, TestResult } from "../../machines/model/test_result.ts";
import { staleText } from "../testing/stale_text.ts";
import { capped } from "./capped.ts";
import { groupBy } from "../values.ts";
import { tail } from "./tail.ts";
import { count, duration, lines, listed } from "./words.ts";

const failuresShown = 15;
const findingsShown = 10;

function summaryText(summary: SuiteSummary): string {
  const parts = (["passed", "failed", "skipped", "flaky"] as const)
    .filter((status) => summary[status] > 0)
    .map((status) => `${summary[status]} ${status}`);
  return `${count(summary.total, "test")}: ${parts.join(", ") || "none ran"}, ${
    duration(summary.durationMs)
  }`;
}

const indented = (text: string): string => text.split("\n").map((line) => `    ${line}`).join("\n");

/** One result; a failure with its message and the server's last words. */
export function resultText(result: TestResult): string {
  const mark = { passed: "✓", failed: "✗", skipped: "-", flaky: "~" }[result.status];
  const head = `${mark} ${result.name}${result.category ? ` [${result.category}]` : ""} (${
    duration(result.durationMs)
  })`;
  const tone = { lines: 20, characters: 3_000 };
  return lines(
    head,
    result.message && indented(tail(result.message, tone)),
    result.note && indented(result.note),
    !toldAlready(result) && indented(`stderr:\n${tail(result.stderrTail!.trimEnd(), tone)}`),
  );
}

/** A server that died has its last words in the message. */
function toldAlready({ message = "", stderrTail = "" }: TestResult): boolean {
  const lastLine = stderrTail.trimEnd().split("\n").at(-1)!.trim();
  return message.includes(lastLine);
}

/** Findings grouped by code: many tools often share one habit. */
export function findingsText(findings: readonly Finding[]): string | undefined {
  if (findings.length === 0) return undefined;
  const groups = groupBy(findings, (finding) => `${finding.code} (${finding.severity})`);
  const rows = [...groups].map(([code, group]) =>
    `- ${code}: ${
      listed([...new Set(group.map((finding) => finding.tool ?? finding.message))], 5).join(", ")
    }`
  );
  return [`${count(findings.length, "finding")}:`, ...listed(rows, findingsShown)].join("\n");
}

export interface Results {
  summary: SuiteSummary;
  results: TestResult[];
  stale?: StaleResults;
  findings?: Finding[];
}

const failing = ({ status }: TestResult): boolean => status === "failed" || status === "flaky";

export function resultsText({ summary, results, stale, findings }: Results): string {
  const failures = results.filter(failing);
  return lines(
    summaryText(summary),
    stale && `${staleText(stale)} Next: pth_reload_plugin({}), then run them anew.`,
    ...listed(failures.map(resultText), failuresShown, "more failures; ask with detail: true"),
    findingsText(findings ?? results.flatMap((result) => result.findings)),
  );
}

/** Failures first and in full, the others in short; with detail every result in full. */
export function resultsData({ summary, results, stale, findings }: Results, detail: boolean | undefined) {
  const others = results.filter((result) => !failing(result)).map((result) =>
    detail ? result : brief(result)
  );
  const { rows, leftOut } = capped<object>([...results.filter(failing), ...others], detail);
  return {
    summary,
    ...(stale === undefined ? {} : { stale }),
    results: rows,
    ...(leftOut === undefined ? {} : { leftOut }),
    findings: capped(findings ?? results.flatMap((result) => result.findings), detail).rows,
  };
}

const brief = ({ id, name, status, note }: TestResult) => ({ id, name, status, ...(note ? { note } : {}) });
