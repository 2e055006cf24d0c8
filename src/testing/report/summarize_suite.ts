/** Results in figures: whatever tells of results counts them here. */
import type { SuiteSummary, TestResult } from "../../../machines/model/test_result.ts";

/** @param durationMs milliseconds of the whole */
export function summarizeSuite(
  results: readonly Pick<TestResult, "status">[],
  durationMs: number,
): SuiteSummary {
  const count = (status: TestResult["status"]) => results.filter((result) => result.status === status).length;
  return {
    total: results.length,
    passed: count("passed"),
    failed: count("failed"),
    skipped: count("skipped"),
    flaky: count("flaky"),
    durationMs: Math.round(durationMs),
  };
}
