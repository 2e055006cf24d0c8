/** Sums up the latest results of a session's tests in one sentence: every text that sums them up takes it from here. */
import type { ResultsVerdict } from "../../api/tests.ts";
import type { StaleResults } from "../../../machines/model/stale_results.ts";
import type { SuiteSummary } from "../../../machines/model/test_result.ts";
import { count } from "../../core/values.ts";
import { staleText } from "./stale_text.ts";

export interface CountedResults {
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
