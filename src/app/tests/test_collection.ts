/** The tests of a session. */
import type { TestCase } from "../../../machines/model/test_case.ts";
import type { Problem } from "../../core/problems.ts";

export class TestCollection {
  all: TestCase[] = [];
  /** Mistakes in the plugin's own test files; the tests beside them are loaded. */
  problems: Problem[] = [];
  /** Texts of test files when they were last read for a run, by path. */
  readonly texts = new Map<string, string>();
}
