/** What calls cost: outliers in words, then a table with a bar for each tool. */
import { count } from "../../../core/values.ts";
import type { Report } from "../../report/report_schema.ts";
import type { ReportPerformance } from "../../report/schema/performance.ts";
import { formatDuration } from "../../../core/text.ts";
import { barMarkup, bytesText, shortNumber } from "./figure_text.ts";
import { emptyMarkup, type Markup, markup } from "./markup.ts";
import { reportNotes } from "./report_notes.ts";

type Tool = ReportPerformance["tools"][number];

export function performanceSection({ performance }: Report): Markup {
  if (performance === undefined) return emptyMarkup;
  const slowest = Math.max(...performance.tools.map(({ response_ms: { p95 } }) => p95), 0);
  const marked = new Set(performance.outliers.map(({ tool }) => tool));
  const found = performance.outliers.map(({ dimension, message }) =>
    markup`<li><b>${dimension}</b> ${message}</li>`
  );
  const how = `${count(performance.calls, "call")} of each tool, ${formatDuration(performance.duration_ms)}`;
  return markup`<section id="performance"><h2>Performance <small>${how}</small></h2>
${found.length === 0 ? markup`<p>No outliers.</p>` : markup`<ul class="outliers">${found}</ul>`}
<div class="scroll" tabindex="0" role="region" aria-label="Performance by tool"><table>
<thead><tr>${columns.map((name) => markup`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>
${performance.tools.map((tool) => rowOf(tool, slowest, marked.has(tool.tool)))}</tbody>
</table></div>${
    reportNotes([
      ...performance.unmeasured.map(({ tool, reason }) => `${tool}: ${reason}`),
      ...performance.notes,
    ])
  }</section>
`;
}

const columns = [
  "Tool",
  "Response",
  "p50",
  "p95",
  "p99",
  "Calls/s",
  "CPU",
  "Memory",
  "Disk writes",
  "Files",
  "Answer",
  "Errors",
];

const milliseconds = (value: number): string => `${shortNumber(value)} ms`;

function rowOf(tool: Tool, slowest: number, outlier: boolean): Markup {
  const { p50, p95, p99 } = tool.response_ms;
  const bars = barMarkup(slowest === 0 ? 0 : p95 / slowest, outlier ? "bad" : "plain", milliseconds(p95));
  const cells = [
    ...[p50, p95, p99].map(milliseconds),
    tool.throughput && shortNumber(tool.throughput.calls_per_second),
    given(tool.cpu_ms_per_call, milliseconds),
    given(tool.memory_peak_bytes, bytesText),
    given(tool.disk_written_bytes, bytesText),
    given(tool.side_effects?.files, shortNumber),
    bytesText(tool.answer_bytes.p50),
    tool.errors,
  ];
  return markup`<tr class="${
    outlier ? "outlier" : ""
  }"><th scope="row">${tool.tool}</th><td class="wide">${bars}</td>
${cells.map((cell) => markup`<td>${cell ?? "–"}</td>`)}</tr>
`;
}

const given = (value: number | undefined, text: (value: number) => string): string | undefined =>
  value === undefined ? undefined : text(value);
