/** Coverage of several runs of the same code as one: hits are added, line by line. */
import type { ReportCoverage, ReportFileCoverage, ReportGap } from "./report_schema.ts";

/** Files that only some runs loaded count with what those saw. */
export function mergeCoverage(all: readonly ReportCoverage[]): ReportCoverage | undefined {
  const [first] = all;
  if (first === undefined || all.length === 1) return first;
  const files = new Map<string, ReportFileCoverage>();
  for (const file of all.flatMap((coverage) => coverage.files)) {
    const known = files.get(file.path);
    files.set(file.path, known === undefined ? file : mergeFiles(known, file));
  }
  const merged = [...files.values()].sort((a, b) => a.path < b.path ? -1 : 1);
  const gaps = mergeGaps(all, files);
  return {
    collector: [...new Set(all.map(({ collector }) => collector))].join(", "),
    files: merged,
    totals: totalsOf(merged),
    ...(gaps === undefined ? {} : { gaps }),
    notes: [...new Set(all.flatMap(({ notes }) => notes))],
  };
}

function mergeFiles(a: ReportFileCoverage, b: ReportFileCoverage): ReportFileCoverage {
  const lines = { ...a.lines };
  for (const [line, hits] of Object.entries(b.lines)) lines[line] = (lines[line] ?? 0) + hits;
  return {
    path: a.path,
    lines,
    functions: mergeBy(a.functions, b.functions, ({ name, line }) => `${line} ${name}`, (one, other) => ({
      ...one,
      hits: one.hits + other.hits,
    })),
    branches: mergeBranches(a.branches, b.branches),
    tools: mergeBy(a.tools, b.tools, ({ tool, line }) => `${line} ${tool}`, (one) => one),
  };
}

function mergeBy<Value>(
  a: readonly Value[],
  b: readonly Value[],
  keyOf: (value: Value) => string,
  join: (one: Value, other: Value) => Value,
): Value[] {
  const byKey = new Map(a.map((value) => [keyOf(value), value]));
  for (const value of b) {
    const known = byKey.get(keyOf(value));
    byKey.set(keyOf(value), known === undefined ? value : join(known, value));
  }
  return [...byKey.values()];
}

type Branch = ReportFileCoverage["branches"][number];

/** Merges branches; several on one line are distinguished by their order there, and by their ways. */
function mergeBranches(a: readonly Branch[], b: readonly Branch[]): Branch[] {
  const numbered = (branches: readonly Branch[]) => {
    const seen = new Map<string, number>();
    return branches.map((branch) => {
      const place = `${branch.line} ${branch.hits.length}`;
      const nth = (seen.get(place) ?? 0) + 1;
      seen.set(place, nth);
      return { branch, key: `${place} ${nth}` };
    });
  };
  return mergeBy(numbered(a), numbered(b), ({ key }) => key, (one, other) => ({
    key: one.key,
    branch: {
      line: one.branch.line,
      hits: one.branch.hits.map((hits, way) => hits + other.branch.hits[way]!),
    },
  })).map(({ branch }) => branch).sort((one, other) => one.line - other.line);
}

/** Places that no run reached, among those that any run reported; the lines show whether one did. */
function mergeGaps(
  all: readonly ReportCoverage[],
  files: ReadonlyMap<string, ReportFileCoverage>,
): ReportGap[] | undefined {
  if (all.every(({ gaps }) => gaps === undefined)) return undefined;
  const byPlace = new Map(all.flatMap(({ gaps = [] }) => gaps).map((gap) => [JSON.stringify(gap), gap]));
  return [...byPlace.values()].filter((gap) => {
    const { lines = {} } = files.get(gap.path) ?? {};
    const within = Object.entries(lines).filter(([line]) =>
      Number(line) >= gap.line && Number(line) <= gap.end_line
    );
    return within.length === 0 || within.some(([, hits]) => hits === 0);
  });
}

function totalsOf(files: readonly ReportFileCoverage[]): ReportCoverage["totals"] {
  const counted = (hits: readonly number[]) => ({
    covered: hits.filter((times) => times > 0).length,
    total: hits.length,
  });
  return {
    lines: counted(files.flatMap(({ lines }) => Object.values(lines))),
    functions: counted(files.flatMap(({ functions }) => functions.map(({ hits }) => hits))),
    branches: counted(files.flatMap(({ branches }) => branches.flatMap(({ hits }) => hits))),
  };
}
