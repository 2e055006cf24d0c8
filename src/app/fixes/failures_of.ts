/** Selects the failures that a request for a diagnosis means. */
import type { TestCase } from "../../../machines/model/test_case.ts";
import type { TestResult } from "../../../machines/model/test_result.ts";
import { PthError } from "../../core/errors.ts";
import type { SessionParts } from "../session/session_parts.ts";
import type { DiagnoseArgs } from "../../../machines/model/branch_work.ts";

/** @throws {PthError} `NO_SUCH_TEST`, `NO_TESTS_MATCH` for a test that did not fail; a flaky one is meant only where it is named */
export function failuresOf(
  { tests: { known: tests }, results: { latest: results } }: SessionParts,
  wanted?: readonly string[],
): DiagnoseArgs {
  if (wanted === undefined) {
    return { failures: tests.flatMap((test) => failure(test, results.get(test.id)) ?? []), withLoad: true };
  }
  const failures = wanted.map((name) => {
    const test = tests.find(({ id }) => id === name) ?? tests.find((each) => each.name === name);
    if (!test) {
      throw new PthError("NO_SUCH_TEST", `Cannot diagnose ${name}: there is no test of this id or name`, {
        next: [{ mcp: 'List the failures: pth_get_test_results({ status: "failed" })' }],
      });
    }
    const result = results.get(test.id);
    // Left alone by the loop, but not by whoever asks for it.
    const found = result?.status === "flaky" ? { test, result } : failure(test, result);
    if (found) return found;
    const state = result?.status ?? "not run yet";
    throw new PthError("NO_TESTS_MATCH", `Cannot diagnose ${name}: its latest result is "${state}"`, {
      next: [{ mcp: `Run it: pth_run_test({ id: "${test.id}" })` }],
    });
  });
  return { failures, withLoad: false };
}

const failure = (test: TestCase, result: TestResult | undefined) =>
  result?.status === "failed" ? { test, result } : undefined;
