/** What a session knows from the suites that were measured. */
import type { CoverageReport, ImpactMap } from "../../../machines/model/coverage.ts";

export interface MeasuredSuite {
  coverage: CoverageReport;
  impact: ImpactMap;
  /** Texts of the files that the map names, as they were: what changed since is told by them. */
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
