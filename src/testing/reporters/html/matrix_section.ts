/** Where the tests ran, and those that did not come to the same everywhere. */
import {
  differencesTable,
  entriesTable,
  matrixVerdict,
  type TextTable,
} from "../../../matrix/matrix_table.ts";
import { matrixOfReport } from "../../report/matrix_report.ts";
import type { Report } from "../../report/report_schema.ts";
import { formatDuration } from "../../../core/text.ts";
import { emptyMarkup, type Markup, markup } from "./markup.ts";
import { shortenedText } from "./shortened_text.ts";

const mostDifferences = 500;

export function matrixSection({ matrix: published }: Report): Markup {
  if (published === undefined) return emptyMarkup;
  const matrix = matrixOfReport(published);
  const differing = matrix.differences.length === 0
    ? emptyMarkup
    : tableOf("What differs", differencesTable(matrix, mostDifferences));
  return markup`<section id="matrix"><h2>Matrix</h2>
<p>${matrixVerdict(matrix)}</p>
${tableOf("Environments", entriesTable(matrix, formatDuration))}${differing}</section>
`;
}

const tableOf = (caption: string, { head, rows }: TextTable): Markup =>
  markup`<div class="wide"><table><caption>${caption}</caption>
<thead><tr>${head.map((cell) => markup`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>
${
    rows.map((row) => markup`<tr>${row.map((cell) => markup`<td>${shortenedText(cell, 300)}</td>`)}</tr>\n`)
  }</tbody>
</table></div>
`;
