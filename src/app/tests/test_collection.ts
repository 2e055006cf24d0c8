/** The tests of a session. */
import type { TestCase } from "../../../machines/model/test_case.ts";
import type { GeneratedTests } from "../../api/harness.ts";
import type { Problem } from "../../core/problems.ts";

export class TestCollection {
  all: TestCase[] = [];
  /** Mistakes in the plugin's own test files; the tests beside them are loaded. */
  problems: Problem[] = [];
  /** Tools that generated tests may not call, and why. */
  heldBack: GeneratedTests["heldBack"] = [];
  /** Texts of test files when they were last read for a run, by path. */
  readonly texts = new Map<string, string>();
}
