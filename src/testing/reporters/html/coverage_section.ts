/** Renders coverage: totals, and each file with the lines that did not run and the tools they belong to. */
import { groupBy } from "../../../core/values.ts";
import { shownPath } from "../../coverage/line_ranges.ts";
import type { Report, ReportFileCoverage, ReportGap } from "../../report/report_schema.ts";
import { barMarkup, percentText, rangesText } from "./figure_text.ts";
import { emptyMarkup, type Markup, markup, reportNotes, shortenedText } from "./markup.ts";
import { count } from "../../../core/text.ts";

export function coverageSection({ coverage }: Report): Markup {
  if (coverage === undefined) return emptyMarkup;
  const files = [...coverage.files].sort((a, b) => share(a) - share(b));
  const totals = (["lines", "functions", "branches"] as const).map((kind) => {
    const { covered, total } = coverage.totals[kind];
    return markup`<li><b>${percentText(covered, total)}</b> ${kind} <small>${covered} of ${total}</small>
${barMarkup(covered / total, tone(covered, total), `${covered} of ${total} ${kind}`)}</li>
`;
  });
  return markup`<section id="coverage"><h2>Coverage <small>${coverage.collector}</small></h2>
<ul class="totals">
${totals}</ul>
${gapsOf(coverage.gaps ?? [])}
<div class="files">${files.map(fileOf)}</div>${reportNotes(coverage.notes)}</section>
`;
}

/** Named for one tool; the JSON report has all. */
const mostGaps = 30;

/** Lists code of each tool that no test runs. */
function gapsOf(gaps: readonly ReportGap[]): Markup {
  const tools = groupBy(gaps.filter(({ tool }) => tool !== undefined), ({ tool }) => tool!);
  const groups = [...tools].map(([tool, found]) => {
    const places = found.slice(0, mostGaps).map(({ kind, path, line, end_line: end }) =>
      markup`<li>${kind} <code>${shownPath(path)}:${line === end ? line : `${line}-${end}`}</code></li>`
    );
    const left = found.length > mostGaps ? markup`<li>… ${found.length - mostGaps} more</li>` : emptyMarkup;
    return markup`<details class="finding"><summary>No test runs ${
      count(found.length, "place")
    } of <b>${tool}</b></summary>
<ul>${places}${left}</ul></details>
`;
  });
  return markup`${groups}`;
}

const lineCoverage = (
  { lines }: ReportFileCoverage,
): { covered: number; total: number; missed: number[] } => {
  const entries = Object.entries(lines).map(([line, hits]) => [Number(line), hits] as const);
  const missed = entries.filter(([, hits]) => hits === 0).map(([line]) => line).sort((a, b) => a - b);
  return { covered: entries.length - missed.length, total: entries.length, missed };
};

const share = (file: ReportFileCoverage): number => {
  const { covered, total } = lineCoverage(file);
  return total === 0 ? 1 : covered / total;
};

const tone = (covered: number, total: number) =>
  covered >= 0.8 * total ? "good" : covered >= 0.5 * total ? "fair" : "bad";

function fileOf(file: ReportFileCoverage): Markup {
  const { covered, total, missed } = lineCoverage(file);
  const unused = file.functions.filter(({ hits }) => hits === 0).map(({ name, line }) => `${name} (${line})`);
  const oneSided = file.branches.filter(({ hits }) => hits.some((way) => way === 0)).map(({ line }) => line);
  const head = markup`<span class="path">${shortenedText(shownPath(file.path), 200)}</span>${
    barMarkup(share(file), tone(covered, total), `${covered} of ${total} lines`)
  }<span class="share">${percentText(covered, total)}</span>`;
  if (missed.length + unused.length + oneSided.length === 0) return markup`<div class="file">${head}</div>`;
  return markup`<details class="file"><summary>${head}</summary>
<dl class="missed">
${row("Lines that did not run", rangesText(missed))}
${row("Functions", unused.join(", "))}
${row("Branches with a way not taken, at", rangesText([...new Set(oneSided)]))}
${row("Of the tools", toolsOf(file, missed))}</dl></details>
`;
}

const row = (label: string, text: string): Markup =>
  text === "" ? emptyMarkup : markup`<dt>${label}</dt><dd>${shortenedText(text, 1500)}</dd>`;

/** Tools in whose handlers lines did not run, with how many. */
function toolsOf({ tools }: ReportFileCoverage, missed: readonly number[]): string {
  return tools.flatMap(({ tool, line, end_line: end }) => {
    const within = missed.filter((at) => at >= line && at <= end).length;
    return within === 0 ? [] : [`${tool} (${count(within, "line")})`];
  }).join(", ");
}
