/** Coverage in the format of lcov's tracefiles, which editors and services read (man 1 geninfo). */
import type { CoverageReport, FileCoverage } from "../../../machines/model/coverage.ts";
import { countOf } from "./line_ranges.ts";

export const lcov = ({ files }: CoverageReport): string => files.map(record).join("");

function record({ path, functions, branches, lines }: FileCoverage): string {
  const called = countOf(functions.map(({ hits }) => hits));
  const taken = countOf(branches.flatMap(({ hits }) => hits));
  const run = countOf(Object.values(lines));
  // Of one name there may be several; lcov knows a function by it.
  const nameOf = ({ name, line }: FileCoverage["functions"][number]) =>
    `${name.replaceAll(",", " ")}:${line}`;
  const written = [
    "TN:",
    `SF:${path}`,
    ...functions.map((one) => `FN:${one.line},${nameOf(one)}`),
    ...functions.map((one) => `FNDA:${one.hits},${nameOf(one)}`),
    `FNF:${called.total}`,
    `FNH:${called.covered}`,
    ...branches.flatMap(({ line, hits }, block) =>
      hits.map((hit, branch) => `BRDA:${line},${block},${branch},${(lines[line] ?? 0) === 0 ? "-" : hit}`)
    ),
    `BRF:${taken.total}`,
    `BRH:${taken.covered}`,
    ...Object.entries(lines).map(([line, hits]) => `DA:${line},${hits}`),
    `LF:${run.total}`,
    `LH:${run.covered}`,
    "end_of_record",
  ];
  return `${written.join("\n")}\n`;
}
