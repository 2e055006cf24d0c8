/** One file's coverage in PTH's own words. */
import type { FileCoverage as IstanbulFile } from "istanbul-lib-coverage";
import type { FileCoverage } from "../../../../machines/model/coverage.ts";

export function fileCoverage(path: string, file: IstanbulFile): FileCoverage {
  const { fnMap, f, branchMap, b } = file.data;
  return {
    path,
    lines: { ...file.getLineCoverage() },
    functions: Object.entries(fnMap).map(([id, { name, decl, loc }]) => ({
      name,
      line: decl.start.line,
      endLine: loc.end.line,
      hits: f[id] ?? 0,
    })),
    branches: Object.entries(branchMap).map(([id, { loc }]) => ({ line: loc.start.line, hits: b[id] ?? [] })),
    tools: [],
  };
}
