/** Stores what measured suites showed, and tells which files no test loads. */
import type { CoverageReport, ImpactMap } from "../../../machines/model/coverage.ts";
import { extname } from "node:path";

export interface MeasuredSuite {
  coverage: CoverageReport;
  impact: ImpactMap;
  /** Texts of the files in the map at the time of measuring: later changes are found by comparison with them. */
  texts: ReadonlyMap<string, string>;
  /** Paths of those that only the environment held: what was built or installed there. */
  made: ReadonlySet<string>;
}

/**
 * A run of some of the tests keeps what an earlier one knows of all of them: lines of two states of the source do not go
 * into one map.
 * @param living ids of the tests that there are
 */
export function latestMap(
  before: MeasuredSuite | undefined,
  now: MeasuredSuite,
  living: ReadonlySet<string>,
): MeasuredSuite {
  const covers = (map: ImpactMap, of: ImpactMap) =>
    Object.keys(of.tests).every((id) => id in map.tests || !living.has(id));
  if (before === undefined || covers(now.impact, before.impact)) return now;
  return { ...before, coverage: now.coverage };
}

/**
 * Tells which files are known not to have been loaded: sources in a language that was measured. None are known if the output
 * of a bundler or compiler was measured without a way back to its sources.
 * @param own paths of the plugin's sources
 */
export function knownUnloaded(
  { functions = {} }: ImpactMap,
  own: ReadonlySet<string>,
): (path: string) => boolean {
  const measured = Object.keys(functions);
  if (!measured.every((path) => own.has(path))) return () => false;
  const languages = new Set(measured.map(languageOf));
  return (path) => own.has(path) && languages.has(languageOf(path));
}

const languageOf = (path: string): string => /\.[cm]?[jt]sx?$/.test(path) ? "JavaScript" : extname(path);
