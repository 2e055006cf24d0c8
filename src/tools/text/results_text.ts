/** Test results in words: figures, then what failed or was skipped, one entry for all that are alike. */
import { uniqueFindings } from "../../testing/report/unique_findings.ts";
import type { StaleResults } from "../../../machines/model/stale_results.ts";
import type { SuiteSummary, TestResult } from "../../../machines/model/test_result.ts";
import { commonWords } from "../../diagnosis/group.ts";
import { staleText } from "../../testing/report/results_verdict.ts";
import { groupBy } from "../../core/values.ts";
import { boundedEnds, type BoundedEndsLimits, boundedTail } from "../bounded_tail.ts";
import { limitItems } from "../limit_items.ts";
import { duration, joinLines, limitedList } from "./join_lines.ts";
import { count, firstLine } from "../../core/text.ts";
import type { Finding } from "../../../machines/model/verdict.ts";

export interface Results {
  summary: SuiteSummary;
  results: TestResult[];
  stale?: StaleResults;
  findings?: Finding[];
  /** Remarks on the run: a degraded environment, the seed of an order. */
  notes?: readonly string[];
}

/** Limits on the text of results. */
interface ResultsShown {
  /** Every result in full, in place of groups. */
  detail?: boolean | undefined;
  /** Ids named of each group. */
  ids?: number;
}

/** Groups of failures, and of skipped tests. */
const failuresShown = 10;
const skipsShown = 5;
const findingsShown = 8;
/** Failures of which all are named. */
const fewFailures = 12;

/** The way to what is left out of one result, also for tools that have no detail of their own. */
const wholeResults = "; all of it: pth_get_test_results({ detail: true })";

const marks = { passed: "✓", failed: "✗", skipped: "-", flaky: "~" };

export function resultsText(
  { summary, results, stale, findings, notes = [] }: Results,
  { detail, ids = 4 }: ResultsShown = {},
): string {
  const failures = results.filter(isFailing);
  const named = failures.length <= fewFailures ? fewFailures : ids;
  return joinLines(
    summaryText(summary),
    ...notes,
    stale && `${staleText(stale)} Next: pth_reload_plugin({}), then run them again.`,
    ...(detail
      ? [...failures, ...results.filter((result) => !isFailing(result))].map((one) => resultText(one, true))
      : [...failureRows(failures, named), ...skipRows(results.filter(isSkipped), Math.ceil(ids / 2))]),
    findingsText(uniqueFindings(findings ?? results.flatMap((result) => result.findings)), detail),
  );
}

function summaryText(summary: SuiteSummary): string {
  const parts = (["passed", "failed", "skipped", "flaky"] as const)
    .filter((status) => summary[status] > 0)
    .map((status) => `${summary[status]} ${status}`);
  return `${count(summary.total, "test")}: ${parts.join(", ") || "none ran"}, ${
    duration(summary.durationMs)
  }`;
}

/** One result; a failure with its message and the server's last words. */
export function resultText(result: TestResult, detail?: boolean): string {
  const limits = detail ? { lines: 1000, width: 10_000 } : { lines: 15, width: 400 };
  const more = detail ? "" : wholeResults;
  return joinLines(
    `${headOf(result)} (${duration(result.durationMs)})`,
    result.message && indented(boundedEnds(result.message, limits, more)),
    result.note && indented(boundedEnds(result.note, limits, more)),
    !toldAlready(result) && indented([`stderr:\n${lastWords(result, detail)}`]),
  );
}

const headOf = ({ status, id, category }: TestResult): string =>
  `${marks[status]} ${id}${category ? ` [${category}]` : ""}`;

const indented = (texts: readonly string[]): string =>
  texts.join("\n").split("\n").map((line) => `    ${line}`).join("\n");

const lastWords = ({ stderrTail = "" }: TestResult, detail: boolean | undefined): string =>
  boundedTail(
    stderrTail.trimEnd(),
    detail ? { lines: 200, characters: 4_000 } : { lines: 10, characters: 1_000 },
    detail ? "" : wholeResults,
  );

/** A server that died has its last words in the message. */
function toldAlready({ message = "", stderrTail = "" }: TestResult): boolean {
  const lastLine = stderrTail.trimEnd().split("\n").at(-1)!.trim();
  return message.includes(lastLine);
}

/** Failures with the same words, the most frequent first; the words and the call are those of the first. */
function failureRows(failures: readonly TestResult[], ids: number): string[] {
  const groups = largestFirst(groupBy(failures, (one) => `${one.status} ${one.category} ${wordsOf(one)}`));
  const limits = groups.length <= 5 ? { lines: 6, width: 200 } : { lines: 3, width: 160 };
  const shown = groups.slice(0, failuresShown).map((group) => groupText(group, ids, limits));
  const others = groups.slice(failuresShown).flat();
  if (others.length === 0) return shown;
  return [
    ...shown,
    `… ${count(others.length, "more failure")} of ${
      count(groups.length - failuresShown, "other kind")
    }: ask with detail: true, or a filter`,
  ];
}

function groupText(group: readonly TestResult[], ids: number, limits: BoundedEndsLimits): string {
  const [first] = group as [TestResult];
  const { message = "", note = "", tool } = first;
  const evidence = boundedEnds(joinLines(message, note), limits);
  if (group.length === 1) return joinLines(headOf(first), indented(evidence));
  const [words = "", ...rest] = evidence;
  const others = new Set(group.map((one) => one.tool)).size > 1;
  return joinLines(
    `${marks[first.status]} ${count(group.length, "test")} [${first.category ?? first.status}]: ${
      others ? withoutTool(words, tool) : words
    }`,
    `    ${idsText(group, ids)}${rest.length > 0 ? "; the first:" : ""}`,
    rest.length > 0 && indented(rest),
  );
}

/** The error's own words where the message quotes one, without what differs from call to call. */
function wordsOf({ message = "", tool }: TestResult): string {
  const said = message.split("\n", 1)[0]!;
  return commonWords(/ (?:error|foresee): "(.+)"$/.exec(said)?.[1] ?? said, tool, undefined);
}

const withoutTool = (words: string, tool: string | undefined): string =>
  tool !== undefined && words.startsWith(`${tool}: `) ? words.slice(tool.length + 2) : words;

const idsText = (group: readonly TestResult[], most: number): string =>
  limitedList(group.map(({ id }) => id), most).join(", ");

/** Tests that were skipped, by reason: "inconclusive: its control call was refused: no such note". */
function skipRows(skipped: readonly TestResult[], ids: number): string[] {
  const groups = largestFirst(
    groupBy(skipped, ({ note = "", tool }) => commonWords(note.split("\n", 1)[0]!, tool, undefined)),
  );
  const rows = groups.map((group) =>
    `- ${group.length} skipped: ${firstLine(group[0]!.note ?? "no reason given", 160)}: ${
      idsText(group, ids)
    }`
  );
  return limitedList(rows, skipsShown, "other reasons; ask with detail: true");
}

const largestFirst = (groups: Map<string, TestResult[]>): TestResult[][] =>
  [...groups.values()].sort((a, b) => b.length - a.length);

/** Findings grouped by code: many tools often share one habit. */
export function findingsText(findings: readonly Finding[], detail?: boolean): string | undefined {
  if (findings.length === 0) return undefined;
  const groups = groupBy(findings, (finding) => `${finding.code} (${finding.severity})`);
  const rows = [...groups].map(([code, group]) =>
    detail
      ? [
        `- ${code}:`,
        ...new Set(group.map(({ tool, message }) => `    ${tool ? `${tool}: ` : ""}${message}`)),
      ]
        .join("\n")
      : `- ${code}: ${
        limitedList([...new Set(group.map(({ tool, message }) => tool ?? firstLine(message, 200)))], 5).join(
          ", ",
        )
      }`
  );
  return [
    `${count(findings.length, "finding")}:`,
    ...limitedList(rows, detail ? Infinity : findingsShown, "other kinds; ask with detail: true"),
  ].join("\n");
}

const isFailing = ({ status }: TestResult): boolean => status === "failed" || status === "flaky";
const isSkipped = ({ status }: TestResult): boolean => status === "skipped";

/** Failures first and in full, the others in short; with detail every result in full. */
export function resultsData({ summary, results, stale, findings }: Results, detail: boolean | undefined) {
  const others = results.filter((result) => !isFailing(result)).map((result) =>
    detail ? result : brief(result)
  );
  const { rows, leftOut } = limitItems([...results.filter(isFailing), ...others], detail);
  return {
    summary,
    ...(stale === undefined ? {} : { stale }),
    results: rows,
    ...(leftOut === undefined ? {} : { leftOut }),
    findings:
      limitItems(uniqueFindings(findings ?? results.flatMap((result) => result.findings)), detail).rows,
  };
}

const brief = ({ id, name, status, note }: TestResult) => ({ id, name, status, ...(note ? { note } : {}) });
