/** The matrix at the end of the spec report: its environments, then the tests that differ. */
import {
  differencesTable,
  entriesTable,
  matrixVerdict,
  type TextTable,
} from "../../../matrix/matrix_table.ts";
import type { MatrixReport } from "../../../../machines/model/matrix.ts";
import type { FinishedRun, ReporterOutput } from "../../reporter.ts";
import { columnWidth, cutToColumns } from "../../../core/columns.ts";
import { formatDuration, plainLine } from "../../../core/text.ts";
import { styleOf, type TerminalStyle } from "./terminal_style.ts";

const mostDifferences = 40;
/** Columns of a cell at most: the last one, which says why, is cut by the terminal alone. */
const widest = 60;
/** Columns that are left to them at least where the terminal is narrow. */
const leastOfLast = 12;
const leastOfWidest = 12;

export function renderMatrix({ report }: FinishedRun, style: TerminalStyle): string {
  return report?.matrix === undefined ? "" : `\n${render(report.matrix, style)}`;
}

/** The same for an output without a report. */
export const renderTables = (matrix: MatrixReport, output: ReporterOutput): string =>
  render(matrix, styleOf(output));

function render(matrix: MatrixReport, style: TerminalStyle): string {
  const left = matrix.differences.length - mostDifferences;
  const lines = [
    style.bold(`Matrix: ${plainLine(matrixVerdict(matrix))}`),
    ...rows(entriesTable(matrix, formatDuration), style),
    ...(matrix.differences.length === 0 ? [] : [
      "",
      ...rows(differencesTable(matrix, mostDifferences), style),
      ...(left > 0 ? [style.dim(`  … ${left} more; the json report has all`)] : []),
    ]),
  ];
  return `${lines.join("\n")}\n`;
}

function rows({ head, rows: body }: TextTable, style: TerminalStyle): string[] {
  const cells = body.map((row) =>
    row.map((cell, index) => index < row.length - 1 ? cutToColumns(plainLine(cell), widest) : plainLine(cell))
  );
  const widths = fitted(
    head.map((title, index) => Math.max(columnWidth(title), ...cells.map((row) => columnWidth(row[index]!)))),
    style.room(2),
  );
  const padded = (cell: string, index: number) => {
    const shown = cutToColumns(cell, widths[index]!);
    return index < head.length - 1 ? shown + " ".repeat(widths[index]! - columnWidth(shown)) : cell;
  };
  const line = (row: readonly string[]) => style.fit(`  ${row.map(padded).join("  ").trimEnd()}`);
  return [style.dim(line(head)), ...cells.map(line)];
}

/** Takes missing columns from the widest column, so that those behind it stay; the last one may be cut. */
function fitted(widths: readonly number[], room: number): number[] {
  const last = Math.min(widths.at(-1)!, leastOfLast);
  const others = widths.slice(0, -1);
  const excess = others.reduce((all, one) => all + one + 2, last) - room;
  const widestOne = others.indexOf(Math.max(...others));
  return widths.map((one, index) =>
    index === widestOne && excess > 0 ? Math.max(leastOfWidest, one - excess) : one
  );
}
