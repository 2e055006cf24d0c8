/** Lists code that no test runs, place by place, with the tool that it belongs to. */
import type { CoverageGap, FileCoverage } from "../../../machines/model/coverage.ts";
import { lineRanges } from "./line_ranges.ts";

/** Code of a tool: its handler, and functions that the handler calls. */
interface ToolArea {
  tool: string;
  path: string;
  line: number;
  endLine: number;
}

/** A branch that leads to one of these is for what goes wrong. */
const failing = /\bthrow\b|\bisError\b|\bcatch\b|\breject\(|\braise\b|\bexcept\b|\bpanic!|\bErr\(|[Ee]rror\(/;
/** Lines below a condition in which the code that it guards is looked for. */
const near = 3;

/** @param text of the file, where it is known */
export function gapsOf(file: FileCoverage, areas: readonly ToolArea[], text = ""): CoverageGap[] {
  const code = text.split("\n");
  const { path } = file;
  const toolAt = (line: number) =>
    areas.filter((area) => area.path === path && area.line <= line && line <= area.endLine)
      .sort((a, b) => a.endLine - a.line - (b.endLine - b.line))[0]?.tool;
  const withTool = (gap: CoverageGap): CoverageGap => {
    const tool = toolAt(gap.line);
    return tool === undefined ? gap : { ...gap, tool };
  };
  // Of the innermost function.
  const endOf = (line: number) =>
    Math.min(
      ...file.functions.filter((one) => one.line <= line && line <= one.endLine).map(({ endLine }) =>
        endLine
      ),
    );
  const unreached = file.functions.filter(({ hits }) => hits === 0);
  const missed = missedRanges(file);
  const lines = missed.map(([line, endLine]) => {
    const whole = unreached.find((one) => one.line <= line && endLine <= one.endLine);
    const kind = whole !== undefined
      ? "function"
      : failing.test(code.slice(line - 1, endLine).join("\n"))
      ? "error branch"
      : "lines";
    return withTool({ path, line, endLine, kind });
  });
  const branches = file.branches
    .filter(({ line, hits }) => hits.includes(0) && (file.lines[line] ?? 0) > 0)
    .filter(({ line }) =>
      !missed.some(([from]) => from >= line && from <= Math.min(line + near, endOf(line)))
    )
    .map(({ line }) => withTool({ path, line, endLine: line, kind: "branch" }));
  return [...lines, ...branches].sort((a, b) => a.line - b.line);
}

/** Lines that hold no code do not part what was missed. */
function missedRanges({ lines, functions }: FileCoverage): [number, number][] {
  const missed = new Set<number>();
  let open: number[] = [];
  const starts = new Set(functions.map(({ line }) => line));
  for (const [line, hits] of Object.entries(lines).map(([line, hits]) => [Number(line), hits] as const)) {
    if (hits > 0) open = [];
    else {
      if (!starts.has(line)) { for (const one of open) missed.add(one); }
      missed.add(line);
      open = [line + 1];
    }
  }
  return lineRanges(missed);
}
