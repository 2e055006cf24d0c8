/** Line numbers and paths of coverage as people read them. */
import type { CoverageCount } from "../../../machines/model/coverage.ts";

/** Line numbers as closed ranges of lines that follow each other. */
export function lineRanges(lines: Iterable<number>): [number, number][] {
  const found: [number, number][] = [];
  for (const line of [...new Set(lines)].sort((a, b) => a - b)) {
    const last = found.at(-1);
    if (last !== undefined && last[1] === line - 1) last[1] = line;
    else found.push([line, line]);
  }
  return found;
}

/**
 * Shortens a path for people. In `node_modules` only the fetched target counts, whose name is known already;
 * files for programs (lcov, JSON) keep paths that lead somewhere.
 */
export const shownPath = (path: string): string => path.replace(/^node_modules\/(?:@[^/]+\/)?[^/]+\//, "");

/** Counts how many of the hits are above zero. */
export const countOf = (hits: readonly number[]): CoverageCount => ({
  covered: hits.filter((hit) => hit > 0).length,
  total: hits.length,
});

/** Folder of the package of a target `npm:<package>`, relative to the plugin's folder; undefined for other targets. */
export function fetchedFolder(source: string): string | undefined {
  const name = /^npm:((?:@[^/]+\/)?[^@]+)/.exec(source)?.[1];
  return name === undefined ? undefined : `node_modules/${name}`;
}
