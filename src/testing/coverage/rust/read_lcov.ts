/** Lines and functions of lcov's records, as llvm-cov writes them. */
export interface LcovFile {
  /** Hits by line. */
  lines: Map<number, number>;
  /** Hits by first line: a function that is compiled for several types is told several times. */
  functions: Map<number, number>;
}

/** By path, as it was written. */
export function readLcov(text: string): Map<string, LcovFile> {
  const files = new Map<string, LcovFile>();
  let file: LcovFile = { lines: new Map(), functions: new Map() };
  let starts = new Map<string, number>();
  const add = (counts: Map<number, number>, line: number | undefined, hits: number): void => {
    if (line === undefined || !Number.isSafeInteger(line) || !Number.isSafeInteger(hits)) return;
    counts.set(line, (counts.get(line) ?? 0) + hits);
  };
  for (const record of text.split("\n")) {
    const [, kind, rest = ""] = /^([A-Z]+):(.*)$/.exec(record) ?? [];
    const [first = "", second = ""] = rest.split(/,(.*)/);
    if (kind === "SF") {
      file = { lines: new Map(), functions: new Map() };
      starts = new Map();
      files.set(rest, file);
    } else if (kind === "FN") starts.set(second, Number(first));
    else if (kind === "FNDA") add(file.functions, starts.get(second), Number(first));
    else if (kind === "DA") add(file.lines, Number(first), Number(second));
  }
  return files;
}
