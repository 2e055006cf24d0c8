/** Answers to requests about single tests. */
import type { TestCase } from "../../machines/model/test_case.ts";
import type { TestResult } from "../../machines/model/test_result.ts";

export interface DeletedTest {
  test: TestCase;
  /** The test as text, to make it again. */
  yaml: string;
  /** "none": it was in memory only; "gone": its file was no more there; "kept": other tests are in it. */
  file: "none" | "removed" | "kept" | "gone";
  /** Number of other tests in its file. */
  others: number;
}

export interface RecordedTest {
  test: TestCase;
  /** The result of its first run. */
  result: TestResult;
  /** False where that failed: what the calls answered does not come again. */
  kept: boolean;
  /** The test as text, where it was not kept. */
  yaml?: string;
  calls: number;
  leftOut: number;
}

export interface ResultsVerdict {
  /**
   * "passed": each test passed, was flaky or was skipped, and one at least passed. "unknown": that is so, but of older code than
   * the branch holds, or of a part of the tests. "untested": no test passed or failed.
   */
  state: "passed" | "failed" | "unknown" | "untested";
  /** One or a few sentences, each with a full stop. */
  text: string;
}
