/** Writes `.pth/SESSION-REPORT.md`: environment, changes and results of a session, for reviewers of its branch. */
import { assessConvergence } from "../../../machines/iteration/assess_convergence.ts";
import { failedOf } from "../../../machines/iteration/iteration_state.ts";
import type { IterationRecord, TestStatusSummary } from "../../../machines/model/iteration.ts";
import type { FixRecord } from "../../../machines/model/fix.ts";
import type { RunReport } from "../../../machines/model/session.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import type { TestResult } from "../../../machines/model/test_result.ts";
import { cell, fencedText, markdownTable } from "../markdown_table.ts";
import { differencesTable, entriesTable, matrixVerdict, type TextTable } from "../../matrix/matrix_table.ts";
import { resultsVerdict, staleText, summarizeSuite } from "../../testing/report/results_verdict.ts";
import { groupBy } from "../../core/values.ts";

export const reportPath = ".pth/SESSION-REPORT.md";

interface SessionFacts {
  report: RunReport;
  /** Commits of the session branch, newest first. */
  history: readonly FixRecord[];
  /** Oldest first. */
  iterations?: readonly IterationRecord[];
}

/** The whole document; the same facts give the same bytes. Secrets are the caller's to take out. */
export function sessionReport(facts: SessionFacts): string {
  const parts = [
    `# PTH session: ${cell(facts.report.source.name)}`,
    parameters(facts.report),
    finalState(facts.report),
    suite(facts.report),
    ...progression(facts.iterations ?? []),
    ...distributions(facts.report),
    fixLog(facts.history),
    ...findings(facts.report),
    timings(facts.report),
  ];
  return `${parts.join("\n\n")}\n`;
}

function parameters({ source, environment, plugin }: RunReport): string {
  const handle = environment?.handle;
  const rows: [string, string | undefined][] = [
    ["Plugin", [source.name, plugin?.plan.version ?? source.version].filter(Boolean).join(" ")],
    ["Branch", source.branch],
    ["Started from", source.base?.slice(0, 12)],
    ["Environment", handle && `${handle.runtime}, tier ${handle.tier}, ${handle.image}`],
    ["Chosen because", environment?.reason],
    ["Network", environment?.state.network],
    ["Server", plugin && `${plugin.server.name} ${plugin.server.version}, ${plugin.server.protocolVersion}`],
    ["Tools", plugin && String(plugin.tools.length)],
    ["Install", plugin?.plan.build?.install],
    ["Build", plugin?.plan.build?.build],
  ];
  return section(
    "Parameters",
    markdownTable(["what", "value"], rows.flatMap(([key, value]) => value ? [[key, value]] : [])),
  );
}

/** Limit on failures that are described one by one. */
const failuresTold = 50;

function finalState(report: RunReport): string {
  const failed = report.results.filter(({ status }) => status === "failed");
  const untold = failed.length - failuresTold;
  const more = untold > 0 ? [`… and ${untold} more that fail.`] : [];
  const { text } = verdictOf(report);
  return section(
    "Final state",
    [cell(text), ...earlier(report), ...failed.slice(0, failuresTold).map(failure), ...more].join("\n\n"),
  );
}

/** Counts the entries that are listed. */
const verdictOf = ({ results, tests, stale, summary }: RunReport) =>
  resultsVerdict({ summary: summarizeSuite(results, summary.durationMs), tests: tests.length, stale });

/** The end of an interrupted session in which no test has run since it goes on. */
function earlier({ results, resumed }: RunReport): string[] {
  if (resumed === undefined || results.length > 0) return [];
  return [`Before the session was interrupted: ${cell(resultsVerdict(resumed).text)}`];
}

const failure = ({ name, tool, category, message = "" }: TestResult): string =>
  `### ${cell(name)}\n\n${category ?? "failed"}${tool === undefined ? "" : `, tool \`${cell(tool)}\``}\n\n${
    fencedText(message.split("\n").slice(0, 20).join("\n"))
  }`;

function suite({ tests, results, ...report }: RunReport): string {
  const summary = summarizeSuite(results, report.summary.durationMs);
  const status = new Map(results.map((result) => [result.id, result.status]));
  const origins = [...new Set(tests.map(({ generatedFrom }) => generatedFrom))].sort();
  const rows = origins.map((origin) => {
    const own = tests.filter((test) => test.generatedFrom === origin);
    return [origin, own.length, ...counts(own, status)].map(String);
  });
  const { passed, failed, skipped, flaky } = summary;
  const total = ["all", tests.length, passed, failed, skipped, flaky].map(String);
  return section(
    "Test suite",
    markdownTable(["origin", "tests", "passed", "failed", "skipped", "flaky"], [...rows, total]),
  );
}

const counts = (tests: TestCase[], status: Map<string, string>): number[] =>
  ["passed", "failed", "skipped", "flaky"].map((wanted) =>
    tests.filter(({ id }) => status.get(id) === wanted).length
  );

function progression(iterations: readonly IterationRecord[]): string[] {
  const [first] = iterations;
  if (!first) return [];
  const rows = [
    ["start", ...figures(first.before), "", ""],
    ...iterations.map(({ number, distro, after, mended, broken, fixes, shortened }) => [
      distro === undefined ? String(number) : `${number}, ${cell(distro)}`,
      ...figures(after),
      ...(shortened ? ["—", "—"] : [`${mended.length} / ${broken.length}`, String(fixes.length)]),
    ]),
  ];
  const { trend, reason } = assessConvergence(iterations);
  const text = [
    markdownTable(["iteration", "passed", "failed", "", "fixed / broken", "fixes"], rows),
    `Convergence: ${trend} — ${cell(reason)}.`,
    "Where the time went, in milliseconds:",
    markdownTable(
      ["iteration", ...steps],
      iterations.map(({ number, timings }) => [
        String(number),
        ...steps.map((step) => timings[step] === undefined ? "" : String(timings[step])),
      ]),
    ),
  ];
  return [section("Progression", text.join("\n\n"))];
}

const steps = ["test", "diagnose", "fix", "reload", "retest", "record"] as const;

function figures(standing: TestStatusSummary): string[] {
  const { total, passed, loadError } = standing;
  if (loadError !== undefined) return ["—", "does not load", "░".repeat(20)];
  const filled = total === 0 ? 0 : Math.round(20 * passed / total);
  return [
    `${passed}/${total}`,
    String(failedOf(standing)),
    `${"█".repeat(filled)}${"░".repeat(20 - filled)}`,
  ];
}

/** Describes the runs on several distributions; the table of differences is that of the first run. */
function distributions({ matrix, staleMeasurements }: RunReport): string[] {
  if (matrix === undefined) return [];
  const differing = differencesTable(matrix, failuresTold);
  const rows = ({ rows }: TextTable) => rows.map((row) => row.map(cell));
  const told = entriesTable(matrix, (ms) => `${(ms / 1000).toFixed(1)} s`);
  const text = [
    `${matrixVerdict(matrix)}.`,
    ...(staleMeasurements?.matrix === undefined ? [] : [cell(staleText(staleMeasurements.matrix))]),
    markdownTable(told.head, rows(told)),
    ...(differing.rows.length === 0
      ? []
      : ["What differed at the first look:", markdownTable(differing.head.map(cell), rows(differing))]),
  ];
  return [section("Distributions", text.join("\n\n"))];
}

/** Lists fixes, those of all distributions first, each by category; reverted ones are listed, too, and marked. */
function fixLog(history: readonly FixRecord[]): string {
  const fixes = history.filter(({ type }) => type === "fix").toReversed();
  if (fixes.length === 0) return section("Fixes", "None.");
  const scopes = [...groupBy(fixes, ({ distro }) => distro ?? "")].sort(([a], [b]) => a < b ? -1 : 1);
  const texts = scopes.flatMap(([distro, own]) =>
    [...groupBy(own, ({ category }) => category ?? "uncategorized")].sort(([a], [b]) => a < b ? -1 : 1)
      .map(([category, same]) => {
        const heading = distro === "" ? category : `${category} (only ${distro})`;
        return [`### ${cell(heading)}`, ...same.map(fixText)].join("\n\n");
      })
  );
  return section("Fixes", texts.join("\n\n"));
}

function fixText({ commit, title, body, tests, files, iteration, revertedBy }: FixRecord): string {
  const reverted = revertedBy === undefined ? "" : ` — reverted by ${revertedBy.slice(0, 12)}`;
  return [
    `- \`${commit.slice(0, 12)}\` **${cell(title)}**${reverted}`,
    ...(body === "" ? [] : [`  ${cell(body)}`]),
    ...(tests.length === 0 ? [] : [`  Tests: ${tests.map(cell).join("; ")}`]),
    ...(files.length === 0 ? [] : [`  Files: ${files.map((file) => `\`${cell(file)}\``).join(", ")}`]),
    ...(iteration === undefined ? [] : [`  Iteration: ${iteration}`]),
  ].join("\n\n");
}

function findings({ findings }: RunReport): string[] {
  const texts = [
    ...new Set(findings.map(({ severity, code, message }) => `- ${severity}, ${code}: ${cell(message)}`)),
  ];
  return texts.length === 0 ? [] : [section("Findings", texts.join("\n"))];
}

/** Describes how long PTH's own operations took; one may have run many times. */
function timings({ operations = {} }: RunReport): string {
  const rows = Object.entries(operations).map(([name, { count, lastMs, totalMs, longestMs }]) => [
    name,
    String(count),
    ...[totalMs, lastMs, longestMs].map((ms) => String(Math.round(ms))),
  ]);
  if (rows.length === 0) return section("Timings", "Nothing was timed.");
  return section("Timings", markdownTable(["operation", "times", "total ms", "last ms", "longest ms"], rows));
}

const section = (title: string, text: string): string => `## ${title}\n\n${text}`;
