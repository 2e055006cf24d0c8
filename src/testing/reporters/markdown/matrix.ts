/** The matrix in Markdown: its environments, and the tests that differ. */
import {
  differencesTable,
  entriesTable,
  matrixVerdict,
  type TextTable,
} from "../../../matrix/matrix_table.ts";
import { matrixOfReport } from "../../report/matrix_report.ts";
import type { Report } from "../../report/report_schema.ts";
import { formatDuration } from "../../../core/text.ts";
import { inlineMarkdown, table } from "./inline_markdown.ts";

const mostDifferences = 40;

export function matrixMarkdown({ matrix: published }: Report): string {
  if (published === undefined) return "";
  const matrix = matrixOfReport(published);
  const left = matrix.differences.length - mostDifferences;
  return [
    `#### Matrix: ${inlineMarkdown(matrixVerdict(matrix))}`,
    markdownTable(entriesTable(matrix, formatDuration)),
    ...(matrix.differences.length === 0 ? [] : [markdownTable(differencesTable(matrix, mostDifferences))]),
    ...(left > 0 ? [`… and ${left} more`] : []),
  ].join("\n\n");
}

const markdownTable = ({ head, rows }: TextTable): string =>
  table(
    head.map((cell) => inlineMarkdown(cell)),
    rows.map((row) => row.map((cell) => inlineMarkdown(cell, 160))),
  );
