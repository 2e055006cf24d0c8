/**
 * Sums up the latest results of a session in one sentence, for every text that does; says when they are older than
 * the code.
 */
import type { ResultsVerdict } from "../../api/tests.ts";
import type { StaleResults } from "../../../machines/model/stale_results.ts";
import type { SuiteSummary, TestResult } from "../../../machines/model/test_result.ts";
import { count, firstLine, plainLine } from "../../core/text.ts";

interface CountedResults {
  summary: SuiteSummary;
  /** Tests that there are, with a result or without. */
  tests: number;
  stale?: StaleResults | undefined;
}

export function resultsVerdict({ summary, tests, stale }: CountedResults): ResultsVerdict {
  const { total, passed, failed, skipped, flaky } = summary;
  const left = tests - total;
  const notes = [
    ...(left > 0 && total > 0 ? [`${count(left, "test")} without a result.`] : []),
    ...(stale === undefined ? [] : [staleText(stale)]),
  ];
  const told = (state: ResultsVerdict["state"], text: string): ResultsVerdict => ({
    state,
    text: [text, ...notes].join(" "),
  });
  const others = `${skipped > 0 ? `, ${skipped} skipped` : ""}${flaky > 0 ? `, ${flaky} flaky` : ""}`;
  if (total === 0) return told("untested", "No test was run.");
  if (failed > 0) {
    return told(
      "failed",
      `${failed} of ${count(total, "test")} ${failed === 1 ? "fails" : "fail"}${others}.`,
    );
  }
  if (passed + flaky === 0) return told("untested", `No test passed or failed: all ${total} were skipped.`);
  const all = passed === total ? "All tests pass" : "No test fails";
  if (stale !== undefined) {
    return told("unknown", `${passed} of ${count(total, "test")} passed when they ran${others}.`);
  }
  return told(
    left > 0 ? "unknown" : "passed",
    `${left > 0 ? "No test fails" : all}: ${passed} of ${total} passed${others}.`,
  );
}

export function staleText({ results, stale, commit, behind, loadError }: StaleResults): string {
  const parts = loadError === undefined
    ? []
    : [`The plugin does not load as the branch has it: ${plainLine(firstLine(loadError))}.`];
  if (stale > 0) {
    const which = stale === results ? "The results are" : `${stale} of ${results} results are`;
    const fixes = behind === 1 ? "1 fix" : `${behind} fixes`;
    const state = commit === undefined ? "of an earlier state" : `of commit ${commit.slice(0, 10)}`;
    parts.push(`${which} ${state}, ${stale === results ? "" : "up to "}${fixes} older than the branch.`);
  } else if (results > 0) parts.push("The results are of the code that was loaded before.");
  return parts.join(" ");
}

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
