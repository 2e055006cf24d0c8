/** Files that calls of a tool leave behind, by comparing listings from before and after. */
import type { ToolPerformance } from "../../machines/model/performance.ts";
import { roundToThousandth } from "../core/values.ts";

export interface FileStamp {
  /** Time of the last write, as `stat` prints it. */
  written: string;
  size: number;
  /** Checksum of its content. */
  sum: string;
}

/** Limit on listed files; with more nothing is compared. Installed packages and `.git` are left out. */
const mostFiles = 4000;

/** POSIX sh with GNU or busybox `stat`. Arguments are folders; large files count by time and size alone. */
export const listScript = `
skip='( -name node_modules -o -name .git -o -name .venv -o -name target -o -name __pycache__ ) -prune -o'
list() { find "$@" -xdev $skip -type f -print 2>/dev/null | head -n ${mostFiles + 1}; }
echo '== count'; list "$@" | wc -l
echo '== stats'; find "$@" -xdev $skip -type f -exec stat -c '%.9Y|%s|%n' {} + 2>/dev/null | head -n ${mostFiles}
echo '== sums'; find "$@" -xdev $skip -type f -size -2048k -exec cksum {} + 2>/dev/null | head -n ${mostFiles}
true`;

/** By path; undefined where there are too many to compare. */
export function parseFileStamps(text: string): Map<string, FileStamp> | undefined {
  const [counted = "", stats = "", sums = ""] = ["count", "stats", "sums"].map((name) =>
    text.split(`== ${name}\n`)[1]?.split(/^== /m)[0] ?? ""
  );
  if (!/^\d+$/.test(counted.trim()) || Number(counted) > mostFiles) return undefined;
  const sumOf = new Map(
    sums.split("\n").flatMap((line) => {
      const [, sum, path] = /^(\d+) \d+ (.+)$/.exec(line) ?? [];
      return sum === undefined ? [] : [[path!, sum] as const];
    }),
  );
  return new Map(
    stats.split("\n").flatMap((line) => {
      const [, written, size, path] = /^([^|]*)\|(\d+)\|(.+)$/.exec(line) ?? [];
      return path === undefined
        ? []
        : [[path, { written: written!, size: Number(size), sum: sumOf.get(path) ?? "" }] as const];
    }),
  );
}

/** Changes to files between two listings, per call. */
export function sideEffects(
  before: ReadonlyMap<string, FileStamp>,
  after: ReadonlyMap<string, FileStamp>,
  calls: number,
  folder: string,
): NonNullable<ToolPerformance["sideEffects"]> {
  const touched = [...after].filter(([path, { written }]) => before.get(path)?.written !== written);
  const removed = [...before.keys()].filter((path) => !after.has(path)).length;
  const same = touched.filter(([path, { sum, size }]) => {
    const old = before.get(path);
    return old !== undefined && sum !== "" && old.sum === sum && old.size === size;
  });
  const shown = same.slice(0, 5).map(([path]) =>
    path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path
  );
  return {
    files: roundToThousandth((touched.length + removed) / calls),
    bytes: Math.round(touched.reduce((total, [, { size }]) => total + size, 0) / calls),
    rewritten: roundToThousandth(same.length / calls),
    ...(shown.length === 0 ? {} : { rewrittenFiles: shown }),
  };
}
