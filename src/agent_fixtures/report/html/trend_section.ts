/** Trends over earlier runs: a column for each run, marks for each test, and what changed since the last one. */
import { formatDuration } from "../../../core/text.ts";
import { emptyMarkup, type Markup, markup, trustedMarkup } from "../../../testing/reporters/html/markup.ts";
import type { EarlierRun, FixtureRunReport, RunSummary } from "../report_schema.ts";
import { testKey } from "../run_report.ts";
import { type ShownStatus, statusClass } from "./status_marks.ts";
import { readableTime } from "./test_page.ts";

const order = ["pass", "partial", "fail", "skipped"] as const;
const letters = { pass: "✓", fail: "✗", partial: "⚠", skipped: "–" } as const;

/** Earlier runs that a test's marks show. */
const mostMarks = 9;

type Run = Pick<EarlierRun, "started_at" | "duration_ms" | "summary">;

export function trendSection(report: FixtureRunReport): Markup {
  if (report.earlier.length === 0) return emptyMarkup;
  const runs: Run[] = [...report.earlier, report];
  const label = runs.map(({ summary }) => `${summary.pass} of ${summary.total}`).join(", ");
  return markup`<section id="trend"><h2>Trend <small>${runs.length} runs</small></h2>
<svg class="trend" ${asChart} aria-label="Passed, the oldest run first: ${label}">${
    runs.map((run, at) => column(run.summary, at, runs.length))
  }</svg>
<div class="scroll"><table class="wide"><thead><tr><th>Started</th><th>Passed</th><th>Partial</th><th>Failed</th>
<th>Skipped</th><th>Expectations met</th><th>Took</th></tr></thead><tbody>
${[...runs].reverse().map(runRow)}</tbody></table></div></section>
`;
}

const asChart = trustedMarkup(`role="img" viewBox="0 0 100 40" preserveAspectRatio="none"`);

/** Parts of a run from below: what passed, then the rest. */
function column(summary: RunSummary, at: number, runs: number): Markup {
  const width = Math.min(8, 100 / runs);
  let y = 40;
  const parts = order.filter((status) => summary[status] > 0).map((status) => {
    const height = 40 * summary[status] / Math.max(1, summary.total);
    y -= height;
    return markup`<rect class="${statusClass(status)}" x="${(at * width).toFixed(2)}" y="${
      y.toFixed(2)
    }" width="${(width * 0.8).toFixed(2)}" height="${height.toFixed(2)}"/>`;
  });
  return markup`${parts}`;
}

const runRow = ({ started_at: started, duration_ms: took, summary }: Run): Markup =>
  markup`<tr><th><time datetime="${started}">${
    readableTime(started)
  }</time></th><td>${summary.pass} of ${summary.total}</td>
<td>${summary.partial}</td><td>${summary.fail}</td><td>${summary.skipped}</td><td>${summary.pass_rate}</td>
<td>${formatDuration(took)}</td></tr>
`;

/** Marks of a test in earlier runs, the latest at the end. @param key Of the test among their statuses */
export function historyMarks({ earlier }: FixtureRunReport, key: string): Markup {
  const known = earlier.slice(-mostMarks).map(({ statuses }) => statuses[key]);
  if (!known.some((status) => status !== undefined)) return emptyMarkup;
  const words = known.map((status) => status ?? "not there").join(", ");
  const marks = known.map((status) =>
    status === undefined ? "·" : markup`<span class="${statusClass(status)}">${letters[status]}</span>`
  );
  return markup`<span class="history" role="img" aria-label="Earlier: ${words}" title="Earlier: ${words}">${marks}</span>`;
}

/** Tests that pass or fail other than in the last run. */
export function changesSection(report: FixtureRunReport): Markup {
  const last = report.earlier.at(-1)?.statuses;
  if (last === undefined) return emptyMarkup;
  const now = report.fixtures.flatMap(({ name, tests, skipped }): [string, ShownStatus][] => [
    ...tests.map(({ meta }): [string, ShownStatus] => [testKey(name, meta.test_id), meta.status]),
    ...skipped.map(({ test_id: id }): [string, ShownStatus] => [testKey(name, id), "skipped"]),
  ]);
  const fails = (status: ShownStatus | undefined) => status === "fail" || status === "partial";
  const groups: [string, string, string[]][] = [
    ["Fail since the last run", "error", keysOf(now, (key, status) => fails(status) && last[key] === "pass")],
    ["Pass again", "", keysOf(now, (key, status) => status === "pass" && fails(last[key]))],
    ["New", "", keysOf(now, (key) => last[key] === undefined)],
    ["Gone", "warning", Object.keys(last).filter((key) => !now.some(([each]) => each === key))],
  ];
  const shown = groups.filter(([, , keys]) => keys.length > 0);
  if (shown.length === 0) return emptyMarkup;
  return markup`<section id="changes"><h2>Changes since the last run</h2>
${
    shown.map(([label, kind, keys]) =>
      markup`<div class="finding ${kind}"><b>${label}</b>: ${keys.slice(0, 50).join(", ")}${
        keys.length > 50 ? `, … ${keys.length - 50} more` : ""
      }</div>
`
    )
  }</section>
`;
}

const keysOf = (
  now: readonly [string, ShownStatus][],
  test: (key: string, status: ShownStatus) => boolean,
): string[] => now.filter(([key, status]) => test(key, status)).map(([key]) => key);
