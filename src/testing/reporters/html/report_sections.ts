/**
 * Sections of the HTML report besides tests and coverage: findings, contract, performance, times, matrix, impact,
 * tokens.
 */
import { groupBy } from "../../../core/values.ts";
import type { ToolExercise } from "../../../../machines/model/tool_exercise.ts";
import { exerciseText, unexercised, unexercisedReason } from "../../exercise/exercise_text.ts";
import type {
  Report,
  ReportContract,
  ReportFinding,
  ReportPerformance,
  ReportTokenCost,
} from "../../report/report_schema.ts";
import { emptyMarkup, type Markup, markup, reportNotes, shortenedText, trustedMarkup } from "./markup.ts";
import { count, formatDuration } from "../../../core/text.ts";
import { barMarkup, bytesText, shortNumber } from "./figure_text.ts";
import {
  differencesTable,
  entriesTable,
  matrixVerdict,
  type TextTable,
} from "../../../matrix/matrix_table.ts";
import { matrixOfReport } from "../../report/matrix_report.ts";

const severities = ["error", "warning", "info"] as const;
/** Most findings of one kind that are shown; the JSON report has all. */
const mostOfAKind = 200;

export function findingsSection({ findings }: Report): Markup {
  if (findings.length === 0) return emptyMarkup;
  const kinds = [...groupBy(findings, ({ severity, code }) => `${severity} ${code}`).values()]
    .sort((a, b) => severities.indexOf(a[0]!.severity) - severities.indexOf(b[0]!.severity));
  return markup`<section id="findings"><h2>Findings <small>${findings.length}</small></h2>
${kinds.map(kindOf)}</section>
`;
}

function kindOf(found: readonly ReportFinding[]): Markup {
  const { severity, code } = found[0]!;
  const left = found.length - mostOfAKind;
  return markup`<details class="finding ${severity}"${severity === "error" ? open : emptyMarkup}>
<summary><span class="severity">${severity}</span> <b>${code}</b> <small>${
    count(found.length, "time")
  }</small></summary>
<ul>${found.slice(0, mostOfAKind).map(item)}${
    left > 0 ? markup`<li>… ${left} more in the JSON report</li>` : emptyMarkup
  }</ul>
</details>
`;
}

const open = trustedMarkup(" open");

const item = ({ tool, message }: ReportFinding): Markup =>
  markup`<li>${tool === undefined ? emptyMarkup : markup`<span class="tool">${tool}</span> `}${
    shortenedText(message, 600)
  }</li>
`;

export function exerciseSection({ exercise = [] }: Report): Markup {
  const all = exercise as ToolExercise[];
  if (all.length === 0) return emptyMarkup;
  const left = unexercised(all);
  return markup`<section id="exercise"><h2>Tools <small>${exerciseText(all)}</small></h2>
${
    left.length === 0 ? emptyMarkup : markup`<ul>${left.map(unexercisedItem)}</ul>
`
  }</section>
`;
}

const unexercisedItem = (each: ToolExercise): Markup =>
  markup`<li><span class="tool">${each.tool}</span> ${shortenedText(unexercisedReason(each), 600)}</li>
`;

const impacts = ["breaking", "notice", "compatible"] as const;
const classes = { breaking: "error", notice: "warning", compatible: "info" } as const;

export function contractSection({ contract }: Report): Markup {
  if (contract === undefined) return emptyMarkup;
  const { baseline, changes, breaking } = contract;
  const told = baseline === undefined
    ? "The plugin keeps no contract to compare with."
    : changes.length === 0
    ? `The server offers what ${baseline} says.`
    : `${count(changes.length, "change")} since ${baseline}, ${breaking} of them breaking.`;
  return markup`<section id="contract"><h2>Contract <small>${count(contract.tools, "tool")}</small></h2>
<p>${told}</p>
${impacts.map((impact) => changesOf(changes.filter((change) => change.impact === impact)))}</section>
`;
}

function changesOf(changes: ReportContract["changes"]): Markup {
  const [first] = changes;
  if (first === undefined) return emptyMarkup;
  const items = changes.map(({ code, path, message }) =>
    markup`<li>${shortenedText(message, 600)} <small>${code}, ${shortenedText(path, 200)}</small></li>
`
  );
  return markup`<div class="finding ${classes[first.impact]}"><b>${first.impact}</b><ul>
${items}</ul></div>
`;
}

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

const named = 10;
/** Milliseconds below which a time is not worth listing. */
const worthTelling = 50;

export function slowestSection({ tests }: Report): Markup {
  const slow = tests.filter(({ duration_ms: took }) => took >= worthTelling)
    .sort((a, b) => b.duration_ms - a.duration_ms).slice(0, named);
  if (slow.length === 0) return emptyMarkup;
  const longest = slow[0]!.duration_ms;
  return markup`<section id="slowest"><h2>Slowest tests</h2>
<div class="files">
${slow.map(({ name, duration_ms: took }) => row(name, took, longest))}</div></section>
`;
}

const row = (name: string, took: number, longest: number): Markup =>
  markup`<div class="file"><span class="path">${shortenedText(name, 200)}</span>
${barMarkup(took / longest, "plain", formatDuration(took))}<span class="share">${
    formatDuration(took)
  }</span></div>
`;

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

/** Named for one file; the JSON report has all. */
const mostNamed = 100;

const sources = {
  measured: "measured: what ran during each test",
  static: "from reading the source: what handlers import and call",
};

export function impactSection({ impact, tests }: Report): Markup {
  if (impact === undefined) return emptyMarkup;
  const names = new Map(tests.map(({ id, name }) => [id, name]));
  const files = new Map<string, string[]>();
  for (const { id, reaches } of impact.tests) {
    for (const path of new Set(reaches.map((reach) => reach.path))) {
      const reached = files.get(path) ?? [];
      reached.push(names.get(id) ?? id);
      files.set(path, reached);
    }
  }
  const rows = [...files].sort(([, a], [, b]) => b.length - a.length);
  return markup`<section id="impact"><h2>Impact <small>${sources[impact.source]}</small></h2>
${rows.map(([path, reached]) => fileOf(path, reached))}
${rows.length === 0 ? markup`<p>No test reaches any file that is known.</p>` : emptyMarkup}
${reportNotes(impact.notes)}</section>
`;
}

function fileOf(path: string, reached: readonly string[]): Markup {
  const left = reached.length - mostNamed;
  return markup`<details class="file"><summary><span class="path">${shortenedText(path, 200)}</span>
<span class="share">${count(reached.length, "test")}</span></summary>
<ul>${reached.slice(0, mostNamed).map((name) => markup`<li>${shortenedText(name, 200)}</li>`)}${
    left > 0 ? markup`<li>… ${left} more</li>` : emptyMarkup
  }</ul></details>
`;
}

export function tokenCostSection(report: Report): Markup {
  const cost = report.token_cost ?? report.performance?.context_cost;
  if (cost === undefined) return emptyMarkup;
  const tools = [...cost.tools].sort((a, b) => b.tokens - a.tokens);
  const most = tools[0]?.tokens ?? 0;
  const answers = new Map(cost.answers.map((answer) => [answer.tool, answer]));
  const rows = tools.map(({ tool, tokens }) =>
    markup`<tr><th scope="row">${tool}</th><td class="wide">${
      barMarkup(most === 0 ? 0 : tokens / most, "plain", `${tokens} tokens`)
    }</td><td>${shortNumber(tokens)}</td>${answerCells(answers.get(tool))}</tr>
`
  );
  const more = cost.instructions === undefined
    ? ""
    : `, the instructions ${shortNumber(cost.instructions.tokens)} more`;
  return markup`<section id="tokens"><h2>Token cost <small>${cost.tokenizer}</small></h2>
<p>The list of tools takes <b>${shortNumber(cost.list.tokens)} tokens</b> (${bytesText(cost.list.bytes)})
of every conversation${more}.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Token cost by tool"><table>
<thead><tr>${costColumns.map((name) => markup`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>
${rows}</tbody>
</table></div></section>
`;
}

const costColumns = ["Tool", "Definition", "Tokens", "Answer, median", "Largest"];

const answerCells = (answer: ReportTokenCost["answers"][number] | undefined): Markup[] =>
  [answer?.median_tokens, answer?.max_tokens].map((tokens) =>
    markup`<td>${tokens === undefined ? "–" : shortNumber(tokens)}</td>`
  );
