/** The matrix at the end of the spec report: its environments, then the tests that differ. */
import {
  differencesTable,
  entriesTable,
  matrixVerdict,
  type TextTable,
} from "../../../matrix/matrix_table.ts";
import type { MatrixReport } from "../../../../machines/model/matrix.ts";
import type { FinishedRun, ReporterOutput } from "../../reporter.ts";
import { cut, duration, oneLine, width } from "../text.ts";
import { type Style, styleOf } from "./style.ts";

const mostDifferences = 40;
/** Columns of a cell at most: the last one, which says why, is cut by the terminal alone. */
const widest = 60;

export function renderMatrix({ report }: FinishedRun, style: Style): string {
  return report?.matrix === undefined ? "" : `\n${render(report.matrix, style)}`;
}

/** The same for an output without a report. */
export const renderTables = (matrix: MatrixReport, output: ReporterOutput): string =>
  render(matrix, styleOf(output));

function render(matrix: MatrixReport, style: Style): string {
  const left = matrix.differences.length - mostDifferences;
  const lines = [
    style.bold(`Matrix: ${oneLine(matrixVerdict(matrix))}`),
    ...rows(entriesTable(matrix, duration), style),
    ...(matrix.differences.length === 0 ? [] : [
      "",
      ...rows(differencesTable(matrix, mostDifferences), style),
      ...(left > 0 ? [style.dim(`  … ${left} more; the json report has all`)] : []),
    ]),
  ];
  return `${lines.join("\n")}\n`;
}

function rows({ head, rows: body }: TextTable, style: Style): string[] {
  const cells = body.map((row) =>
    row.map((cell, index) => index < row.length - 1 ? cut(oneLine(cell), widest) : oneLine(cell))
  );
  const widths = head.map((title, index) =>
    Math.max(width(title), ...cells.map((row) => width(row[index]!)))
  );
  const line = (row: readonly string[]) =>
    row.map((cell, index) => index < row.length - 1 ? cell + " ".repeat(widths[index]! - width(cell)) : cell)
      .join("  ")
      .trimEnd();
  return [style.dim(`  ${line(head)}`), ...cells.map((row) => style.fit(`  ${line(row)}`))];
}
