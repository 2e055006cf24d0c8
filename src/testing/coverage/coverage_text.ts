/** Coverage for people: figures, and what no test runs. */
import type {
  CoverageCount,
  CoverageGap,
  CoverageReport,
  FileCoverage,
} from "../../../machines/model/coverage.ts";
import { countOf, lineRanges, shownPath } from "./line_ranges.ts";

/** `73 of 115 (63 %)`; nothing to run counts as all. */
export const coveredShare = ({ covered, total }: CoverageCount): string =>
  `${covered} of ${total} (${total === 0 ? 100 : Math.floor(covered / total * 100)} %)`;

/** `src/a.ts:47` or `src/a.ts:47-50`, with the tool that it belongs to. */
export function gapText({ path, line, endLine, kind, tool }: CoverageGap): string {
  const place = `${shownPath(path)}:${line}${endLine === line ? "" : `-${endLine}`}`;
  const words = {
    "error branch": "error branch",
    branch: "branch",
    function: "function",
    lines: endLine === line ? "line" : "lines",
  }[kind];
  return tool === undefined
    ? `${words} at ${place} ${endLine === line || kind !== "lines" ? "is" : "are"} never run`
    : `tool ${tool}: its ${words} at ${place} ${
      kind === "lines" && endLine !== line ? "are" : "is"
    } never exercised`;
}

/** Most places and files that are listed, unless all are wanted. */
export const mostGaps = 12;
const mostFiles = 5;

/** Lists the figures, the files that are covered least, and the most important gaps. */
export function coverageSummary(
  { totals, files, gaps = [], collector, notes }: CoverageReport,
  all = false,
): string[] {
  const worst = [...files].sort((a, b) => part(a) - part(b)).filter((file) => part(file) < 1).slice(
    0,
    all ? undefined : mostFiles,
  );
  const shown = [...gaps].sort((a, b) => rank(a) - rank(b)).slice(0, all ? undefined : mostGaps);
  return [
    `lines ${coveredShare(totals.lines)}, functions ${coveredShare(totals.functions)}, branches ${
      coveredShare(totals.branches)
    } (${collector})`,
    ...worst.map((file) =>
      `${shownPath(file.path)}: ${coveredShare(countOf(Object.values(file.lines)))} lines`
    ),
    ...shown.map(gapText),
    ...(gaps.length > shown.length ? [`${gaps.length - shown.length} more places are never run`] : []),
    ...notes,
  ];
}

const part = ({ lines }: FileCoverage): number => {
  const { covered, total } = countOf(Object.values(lines));
  return total === 0 ? 1 : covered / total;
};

/** A tool's own error branches come first. */
const rank = ({ tool, kind }: CoverageGap): number =>
  (tool === undefined ? 2 : 0) + (kind === "error branch" ? 0 : 1);

/** One file, line by line. */
export function fileText(file: FileCoverage, gaps: readonly CoverageGap[]): string[] {
  const { path, lines, functions, branches } = file;
  const missed = lineRanges(
    Object.entries(lines).filter(([, hits]) => hits === 0).map(([line]) => Number(line)),
  );
  const unreached = functions.filter(({ hits }) => hits === 0).map(({ name, line }) =>
    `${name} (line ${line})`
  );
  return [
    `${shownPath(path)}: lines ${coveredShare(countOf(Object.values(lines)))}, functions ${
      coveredShare(countOf(functions.map(({ hits }) => hits)))
    }, branches ${coveredShare(countOf(branches.flatMap(({ hits }) => hits)))}`,
    ...(missed.length === 0
      ? []
      : [`  uncovered lines: ${missed.map(([a, b]) => a === b ? a : `${a}-${b}`).join(", ")}`]),
    ...(unreached.length === 0 ? [] : [`  functions never entered: ${unreached.join(", ")}`]),
    ...gaps.filter((gap) => gap.path === path && gap.tool !== undefined).map((gap) => `  ${gapText(gap)}`),
  ];
}
