/** Combines the runs of a matrix into one run, so that every reporter covers all of them. */
import type { DiagnosisReport } from "../../machines/model/diagnosis.ts";
import type { MatrixEntry, MatrixEntryReport, MatrixReport } from "../../machines/model/matrix.ts";
import type { RunReport, Timings } from "../../machines/model/session.ts";
import type { SuiteSummary } from "../../machines/model/test_result.ts";
import { PthError } from "../core/errors.ts";
import { definedOnly } from "../core/values.ts";
import { compareEntries } from "./compare_entries.ts";
import { otherThanAsked, ranWhere } from "./ran_where.ts";
import { nextStepsFor } from "../core/next_step.ts";

/** Result of one environment of the matrix; phases that it never reached are absent. */
export interface EntryRun {
  entry: MatrixEntry;
  report?: RunReport;
  diagnosis?: DiagnosisReport;
  error?: PthError;
  /** True if the run was interrupted. */
  cancelled?: boolean;
  durationMs: number;
}

/** The test's name with where it ran: the same test stands in the report once for each environment. */
export const qualifyTest = <Test extends { id: string; name: string }>(
  test: Test,
  { name }: MatrixEntry,
): Test => ({
  ...test,
  id: `${test.id}@${name}`,
  name: `${test.name} [${name}]`,
});

/**
 * One report of all; its `matrix` compares them. Undefined where none of them came as far as a session.
 * @param durationMs of the whole
 */
export function combineRuns(runs: readonly EntryRun[], durationMs: number): RunReport | undefined {
  const begun = runs.flatMap(({ entry, report }) => report === undefined ? [] : [{ entry, report }]);
  const [first] = begun;
  if (first === undefined) return undefined;
  const plugin = begun.find(({ report }) => report.plugin !== undefined)?.report.plugin;
  return definedOnly({
    source: first.report.source,
    plugin,
    tests: begun.flatMap(({ entry, report }) => report.tests.map((test) => qualifyTest(test, entry))),
    results: begun.flatMap(({ entry, report }) =>
      report.results.map((result) => ({ ...qualifyTest(result, entry), entry: entry.name }))
    ),
    findings: begun.flatMap(({ report }) => report.findings),
    summary: sum(begun.map(({ report }) => report.summary), durationMs),
    timings: longest(begun.map(({ report }) => report.timings)),
    seed: first.report.seed,
    matrix: matrixOf(runs),
  }) as RunReport;
}

/** The comparison alone. */
function matrixOf(runs: readonly EntryRun[]): MatrixReport {
  const tested = runs.flatMap(({ entry: { name }, report, diagnosis }) =>
    report === undefined || report.results.length === 0
      ? []
      : [{ name, results: report.results, ...(diagnosis === undefined ? {} : { diagnosis }) }]
  );
  return { entries: runs.map(entryReport), differences: compareEntries(tested) };
}

function entryReport({ entry, report, error, cancelled, durationMs }: EntryRun): MatrixEntryReport {
  const environment = report?.environment && ranWhere(report.environment);
  const summary = report !== undefined && report.results.length > 0 ? report.summary : undefined;
  return definedOnly({
    ...entry,
    state: cancelled ? "cancelled" as const : stateOf(summary, error),
    environment,
    summary,
    durationMs: Math.round(durationMs),
    error: error &&
      { code: error.code, message: error.message, next: nextStepsFor("terminal", error.context.next) },
  });
}

/** Drops results of a run whose environment was not the one of its entry: they say nothing about that entry. */
export function checkedWhere<Run extends EntryRun>(run: Run): Run {
  const { entry, report } = run;
  if (report === undefined || report.results.length === 0) return run;
  const other = otherThanAsked(entry, report.environment && ranWhere(report.environment));
  if (other === undefined) return run;
  const { report: _elsewhere, diagnosis: _its, ...rest } = run;
  const error = run.error ?? new PthError("PROVISION_FAILED", `Cannot test on ${entry.name}: ${other}`);
  return { ...rest, error } as Run;
}

const stateOf = (
  summary: SuiteSummary | undefined,
  error: PthError | undefined,
): MatrixEntryReport["state"] =>
  error !== undefined || summary === undefined ? "broken" : summary.failed > 0 ? "failed" : "passed";

function sum(summaries: readonly SuiteSummary[], durationMs: number): SuiteSummary {
  const add = (key: "total" | "passed" | "failed" | "skipped" | "flaky") =>
    summaries.reduce((all, summary) => all + summary[key], 0);
  return {
    total: add("total"),
    passed: add("passed"),
    failed: add("failed"),
    skipped: add("skipped"),
    flaky: add("flaky"),
    durationMs,
  };
}

/** Environments run at the same time, so the longest timing of each phase counts. */
function longest(all: readonly Timings[]): Timings {
  const timings: Timings = {};
  for (const one of all) {
    for (const [key, value = 0] of Object.entries(one) as [keyof Timings, number | undefined][]) {
      timings[key] = Math.max(timings[key] ?? 0, value);
    }
  }
  return timings;
}
