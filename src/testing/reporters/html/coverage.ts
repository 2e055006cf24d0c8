/** Which code ran: totals, and each file with the lines that did not and the tools they belong to. */
import { count, groupBy } from "../../../core/values.ts";
import { shownPath } from "../../coverage/shown_path.ts";
import type { Report } from "../../report/report_schema.ts";
import type { ReportFileCoverage, ReportGap } from "../../report/schema/coverage.ts";
import { bar, percent, ranges } from "./figures.ts";
import { escaped, type Markup, nothing } from "./markup.ts";
import { notes } from "./notes.ts";
import { shortened } from "./shortened.ts";

export function coverageSection({ coverage }: Report): Markup {
  if (coverage === undefined) return nothing;
  const files = [...coverage.files].sort((a, b) => share(a) - share(b));
  const totals = (["lines", "functions", "branches"] as const).map((kind) => {
    const { covered, total } = coverage.totals[kind];
    return escaped`<li><b>${percent(covered, total)}</b> ${kind} <small>${covered} of ${total}</small>
${bar(covered / total, tone(covered, total), `${covered} of ${total} ${kind}`)}</li>
`;
  });
  return escaped`<section id="coverage"><h2>Coverage <small>${coverage.collector}</small></h2>
<ul class="totals">
${totals}</ul>
${gapsOf(coverage.gaps ?? [])}
<div class="files">${files.map(fileOf)}</div>${notes(coverage.notes)}</section>
`;
}

/** Named for one tool; the JSON report has all. */
const mostGaps = 30;

/** What no test runs of each tool's code. */
function gapsOf(gaps: readonly ReportGap[]): Markup {
  const tools = groupBy(gaps.filter(({ tool }) => tool !== undefined), ({ tool }) => tool!);
  const groups = [...tools].map(([tool, found]) => {
    const places = found.slice(0, mostGaps).map(({ kind, path, line, end_line: end }) =>
      escaped`<li>${kind} <code>${shownPath(path)}:${line === end ? line : `${line}-${end}`}</code></li>`
    );
    const left = found.length > mostGaps ? escaped`<li>… ${found.length - mostGaps} more</li>` : nothing;
    return escaped`<details class="finding"><summary>No test runs ${
      count(found.length, "place")
    } of <b>${tool}</b></summary>
<ul>${places}${left}</ul></details>
`;
  });
  return escaped`${groups}`;
}

export const linesOf = (
  { lines }: ReportFileCoverage,
): { covered: number; total: number; missed: number[] } => {
  const entries = Object.entries(lines).map(([line, hits]) => [Number(line), hits] as const);
  const missed = entries.filter(([, hits]) => hits === 0).map(([line]) => line).sort((a, b) => a - b);
  return { covered: entries.length - missed.length, total: entries.length, missed };
};

const share = (file: ReportFileCoverage): number => {
  const { covered, total } = linesOf(file);
  return total === 0 ? 1 : covered / total;
};

const tone = (covered: number, total: number) =>
  covered >= 0.8 * total ? "good" : covered >= 0.5 * total ? "fair" : "bad";

function fileOf(file: ReportFileCoverage): Markup {
  const { covered, total, missed } = linesOf(file);
  const unused = file.functions.filter(({ hits }) => hits === 0).map(({ name, line }) => `${name} (${line})`);
  const oneSided = file.branches.filter(({ hits }) => hits.some((way) => way === 0)).map(({ line }) => line);
  const head = escaped`<span class="path">${shortened(shownPath(file.path), 200)}</span>${
    bar(share(file), tone(covered, total), `${covered} of ${total} lines`)
  }<span class="share">${percent(covered, total)}</span>`;
  if (missed.length + unused.length + oneSided.length === 0) return escaped`<div class="file">${head}</div>`;
  return escaped`<details class="file"><summary>${head}</summary>
<dl class="missed">
${row("Lines that did not run", ranges(missed))}
${row("Functions", unused.join(", "))}
${row("Branches with a way not taken, at", ranges([...new Set(oneSided)]))}
${row("Of the tools", toolsOf(file, missed))}</dl></details>
`;
}

const row = (label: string, text: string): Markup =>
  text === "" ? nothing : escaped`<dt>${label}</dt><dd>${shortened(text, 1500)}</dd>`;

/** Tools in whose handlers lines did not run, with how many. */
function toolsOf({ tools }: ReportFileCoverage, missed: readonly number[]): string {
  return tools.flatMap(({ tool, line, end_line: end }) => {
    const within = missed.filter((at) => at >= line && at <= end).length;
    return within === 0 ? [] : [`${tool} (${count(within, "line")})`];
  }).join(", ");
}
