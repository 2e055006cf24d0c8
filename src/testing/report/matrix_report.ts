/** The matrix as the published report spells it, and back. Names of environments are data, so they are no keys there. */
import type { MatrixDifference, MatrixEntryReport, MatrixReport } from "../../../machines/model/matrix.ts";
import type { ReportMatrix } from "./report_schema.ts";
import { camelKeys, type Snake, snakeKeys } from "./snake_keys.ts";
import { reportedMs } from "./test_report.ts";

export const reportOfMatrix = ({ entries, differences }: MatrixReport): ReportMatrix => ({
  entries: entries.map((entry) => ({
    ...snakeKeys(entry),
    ...(entry.summary === undefined ? {} : {
      summary: { ...snakeKeys(entry.summary), duration_ms: reportedMs(entry.summary.durationMs) },
    }),
  })),
  differences: differences.map(({ statuses, ...difference }) => ({
    ...snakeKeys(difference),
    statuses: Object.entries(statuses).map(([entry, status]) => ({ entry, status })),
  })),
});

export const matrixOfReport = ({ entries, differences }: ReportMatrix): MatrixReport => ({
  entries: entries.map((entry) => camelKeys<MatrixEntryReport>(entry as Snake<MatrixEntryReport>)),
  differences: differences.map(({ statuses, ...difference }) => ({
    ...camelKeys<Omit<MatrixDifference, "statuses">>(difference as Snake<Omit<MatrixDifference, "statuses">>),
    statuses: Object.fromEntries(statuses.map(({ entry, status }) => [entry, status])),
  })),
});
