/** A coverage report and an impact map, from what was measured. */
import type {
  CoverageCount,
  CoverageReport,
  FileCoverage,
  ImpactMap,
  TestReach,
} from "../../../machines/model/coverage.ts";
import type { Measured } from "./collector.ts";
import { countOf, lineRanges } from "./line_ranges.ts";
import { startup } from "./coverage_run.ts";

export function reportOf(collectors: readonly string[], { files, notes }: Measured): CoverageReport {
  const sum = (count: (file: FileCoverage) => CoverageCount): CoverageCount =>
    files.map(count).reduce((a, b) => ({ covered: a.covered + b.covered, total: a.total + b.total }), {
      covered: 0,
      total: 0,
    });
  return {
    collector: collectors.join(", "),
    files,
    totals: {
      lines: sum(({ lines }) => countOf(Object.values(lines))),
      functions: sum(({ functions }) => countOf(functions.map(({ hits }) => hits))),
      branches: sum(({ branches }) => countOf(branches.flatMap(({ hits }) => hits))),
    },
    notes: files.length > 0 ? notes : [...notes, "nothing that lies in the plugin's folder ran"],
  };
}

/** @param ids of the tests that ran, also of those that reach nothing */
export function impactMapOf({ files, reach, notes }: Measured, ids: readonly string[]): ImpactMap {
  return {
    source: "measured",
    tests: Object.fromEntries(ids.map((id) => [id, merged(reach.get(id) ?? [])])),
    startup: merged(reach.get(startup) ?? []),
    functions: Object.fromEntries(
      files.map(({ path, functions }) => [
        path,
        functions.map(({ name, line, endLine }) => ({ name, line, endLine })),
      ]),
    ),
    notes,
  };
}

/** One entry for each file. */
function merged(reaches: readonly TestReach[]): TestReach[] {
  const byPath = new Map<string, { lines: number[]; functions: Set<string> }>();
  for (const { path, ranges: ran = [], functions } of reaches) {
    const known = byPath.get(path) ?? { lines: [], functions: new Set<string>() };
    byPath.set(path, known);
    for (const [from, to] of ran) for (let line = from; line <= to; line++) known.lines.push(line);
    for (const name of functions) known.functions.add(name);
  }
  return [...byPath].sort(([a], [b]) => a < b ? -1 : 1).map(([path, { lines, functions }]) => ({
    path,
    ranges: lineRanges(lines),
    functions: [...functions].sort(),
  }));
}
