/** The tests of a session. */
import type { ProjectTestRun } from "../../../machines/model/project_test_run.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import type { GeneratedTests } from "../../api/harness.ts";
import type { LearnedInput } from "../../../machines/model/learned.ts";
import type { Problem } from "../../core/problems.ts";

export class TestCollection {
  all: TestCase[] = [];
  /** The plugin's own tests, as their latest run knew them; in no file of PTH's format. */
  own: TestCase[] = [];
  /** The latest runs of own tests, as they were asked for. */
  ownRuns: ProjectTestRun[] | undefined;
  /** Mistakes in the plugin's own test files; the tests beside them are loaded. */
  problems: Problem[] = [];
  /** Tools that generated tests may not call, and why. */
  heldBack: GeneratedTests["heldBack"] = [];
  /** Inputs that were learned in this session and are in no file of its own. */
  learned: LearnedInput[] = [];
  /** Texts of test files when they were last read, by path. */
  readonly texts = new Map<string, string>();
  /** Tests of other files were asked for in place of the plugin's own. */
  replaced = false;

  /** All tests that have results: own ones, too. */
  get known(): TestCase[] {
    return this.own.length === 0 ? this.all : [...this.all, ...this.own];
  }
}
