/** Where the tests ran, and those that did not come to the same everywhere. */
import {
  differencesTable,
  entriesTable,
  matrixVerdict,
  type TextTable,
} from "../../../matrix/matrix_table.ts";
import { matrixOfReport } from "../../report/matrix_report.ts";
import type { Report } from "../../report/report_schema.ts";
import { duration } from "../text.ts";
import { escaped, type Markup, nothing } from "./markup.ts";
import { shortened } from "./shortened.ts";

const mostDifferences = 500;

export function matrixSection({ matrix: published }: Report): Markup {
  if (published === undefined) return nothing;
  const matrix = matrixOfReport(published);
  const differing = matrix.differences.length === 0
    ? nothing
    : tableOf("What differs", differencesTable(matrix, mostDifferences));
  return escaped`<section id="matrix"><h2>Matrix</h2>
<p>${matrixVerdict(matrix)}</p>
${tableOf("Environments", entriesTable(matrix, duration))}${differing}</section>
`;
}

const tableOf = (caption: string, { head, rows }: TextTable): Markup =>
  escaped`<div class="wide"><table><caption>${caption}</caption>
<thead><tr>${head.map((cell) => escaped`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>
${
    rows.map((row) => escaped`<tr>${row.map((cell) => escaped`<td>${shortened(cell, 300)}</td>`)}</tr>\n`)
  }</tbody>
</table></div>
`;
