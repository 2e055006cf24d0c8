/** Orders the distributions of a matrix and stores the results of each. */
import type { FixRecord } from "../model/fix.ts";
import type { EntryResult, MatrixEntry, MatrixEntryReport, MatrixRun } from "../model/matrix.ts";

export interface MatrixStop {
  entry: MatrixEntry;
  /** The primary one at the end. */
  again: boolean;
}

/** Observations at a stop. */
export interface SeenEntry {
  report: MatrixEntryReport;
  /** The first look at it; what was mended later does not change it. */
  look?: EntryResult;
}

export const stopsOf = ({ primary, others, primaryFirst }: MatrixRun): MatrixStop[] => [
  ...(primaryFirst ? [{ entry: primary, again: false }] : []),
  ...others.map((entry) => ({ entry, again: false })),
  { entry: primary, again: true },
];

export const seenOf = (entry: MatrixEntry): SeenEntry => ({
  report: { ...entry, state: "cancelled", durationMs: 0, fixes: [], untestedFixes: 0 },
});

/** The primary one is known before it is visited at the end. */
export const seenBefore = ({ primary, primaryLook: look }: MatrixRun): SeenEntry[] =>
  look === undefined ? [] : [{
    report: {
      ...seenOf(primary).report,
      state: "passed",
      summary: look.summary,
      ...(look.environment === undefined ? {} : { environment: look.environment }),
    },
    look,
  }];

/** Marks an entry as not available: its earlier result is no longer valid. */
export function brokenReport(report: MatrixEntryReport, error: unknown): MatrixEntryReport {
  const { code = "INTERNAL", message = String(error), context } = (error ?? {}) as {
    code?: string;
    message?: string;
    context?: { next?: string[] };
  };
  const { summary: _old, ...kept } = report;
  return { ...kept, state: "broken", error: { code, message, next: context?.next ?? [] } };
}

/** Fixes that were just made on one: it has them, and the others were not tested with them. */
export const countUntested = (
  seen: readonly SeenEntry[],
  at: MatrixEntry,
  made: readonly FixRecord[],
): SeenEntry[] =>
  seen.map((one) => {
    const { report } = one;
    if (report.name !== at.name) {
      return { ...one, report: { ...report, untestedFixes: (report.untestedFixes ?? 0) + made.length } };
    }
    const fixes = made.map(({ commit, title, distro }) => ({
      commit,
      title,
      ...(distro === undefined ? {} : { distro }),
    }));
    return { ...one, report: { ...report, fixes: [...report.fixes ?? [], ...fixes] } };
  });
