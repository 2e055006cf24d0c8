/** The matrix in Markdown: its environments, and the tests that differ. */
import {
  differencesTable,
  entriesTable,
  matrixVerdict,
  type TextTable,
} from "../../../matrix/matrix_table.ts";
import { matrixOfReport } from "../../report/matrix_report.ts";
import type { Report } from "../../report/report_schema.ts";
import { duration } from "../text.ts";
import { inline, table } from "./text.ts";

const mostDifferences = 40;

export function matrixMarkdown({ matrix: published }: Report): string {
  if (published === undefined) return "";
  const matrix = matrixOfReport(published);
  const left = matrix.differences.length - mostDifferences;
  return [
    `#### Matrix: ${inline(matrixVerdict(matrix))}`,
    markdownTable(entriesTable(matrix, duration)),
    ...(matrix.differences.length === 0 ? [] : [markdownTable(differencesTable(matrix, mostDifferences))]),
    ...(left > 0 ? [`… and ${left} more`] : []),
  ].join("\n\n");
}

const markdownTable = ({ head, rows }: TextTable): string =>
  table(head.map((cell) => inline(cell)), rows.map((row) => row.map((cell) => inline(cell, 160))));
