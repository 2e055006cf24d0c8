/** Requests about the session's tests and their results. */
import type { CleanRunReport, GeneratedTests, GenerateOptions, SessionResults } from "./requests.ts";
import type { FuzzReport, FuzzRequest } from "../../machines/model/fuzz.ts";
import type { LearnReport, LearnRequest } from "../../machines/model/learned.ts";
import type { SuiteOptions, TestFilter } from "../../machines/model/suite_options.ts";
import type { TestCase } from "../../machines/model/test_case.ts";
import type { TestResult, TestRunResult } from "../../machines/model/test_result.ts";
import type { Problem } from "../core/problems.ts";
import type { DeletedTest, RecordedTest } from "./tests.ts";
import type { RequestOptions } from "./request_options.ts";

export interface LearnOptions extends Omit<LearnRequest, "known" | "place"> {
  output?: string;
}

export interface LearnedTests extends LearnReport {
  /** Tests of what was learned, as far as the session did not have them. */
  tests: TestCase[];
  /** File that they were written to. */
  file?: string;
}

/** Tests of files that were read, without a mistake. */
export interface TestFiles {
  tests: readonly TestCase[];
  /** Texts of the files, by path. */
  texts: ReadonlyMap<string, string>;
}

export interface TestCommands {
  /**
   * Looks for drift, replaces the environment by a new one like it, loads the plugin again and runs the suite.
   * @throws {PthError} `NOT_NOW` before the plugin is loaded; what provisioning, loading and the suite fail with
   */
  runClean(suite: SuiteOptions, options?: RequestOptions): Promise<CleanRunReport>;
  /**
   * Calls by `plugin.call` between the two become a scenario of the session, if it passes when it is run once.
   * @throws {PthError} `NOT_NOW`
   */
  readonly recordCalls: {
    start(name: string): void;
    stop(options?: RequestOptions): Promise<RecordedTest>;
  };
  /** Tests of the session: those found in `.pth/tests`, generated ones, and those created by hand. */
  list(filter?: TestFilter): TestCase[];
  /** Mistakes in the files of `.pth/tests`: those tests are not among `tests()`. */
  problems(): Problem[];
  generate(generate: GenerateOptions, options?: RequestOptions): Promise<GeneratedTests>;
  /**
   * Reads the plugin's `.pth/tests`, where a session has no tests yet; otherwise its load does.
   * @throws {PthError} `INVALID_TEST_FILE` in a scripted run
   */
  discover(): Promise<void>;
  /** Loads a file or folder in place of what discovery and generation give, or takes what was read of one. */
  use(tests: string | TestFiles): Promise<TestCase[]>;
  /** YAML of one test; kept under `.pth/tests` of the session's worktree. */
  create(yaml: string): Promise<TestCase>;
  edit(id: string, yaml: string): Promise<TestCase>;
  /** Takes a test out of the session and of its file. @throws {PthError} `NO_SUCH_TEST`, `INVALID_TEST_FILE` */
  delete(id: string): Promise<DeletedTest>;
  run(id: string, suite: SuiteOptions, options?: RequestOptions): Promise<TestResult>;
  runSuite(suite: SuiteOptions, options?: RequestOptions): Promise<TestRunResult>;
  /**
   * Calls tools with drawn inputs until something breaks, makes the input smaller and writes a test of it: to `output`, a
   * folder of this machine, else in a session to `.pth/tests/fuzz` of its worktree, where it joins the session's tests.
   * @throws {PthError} `NO_SUCH_TOOL`; `NOT_NOW` before the plugin is loaded; what starting the server fails with
   */
  fuzz(request: FuzzRequest & { output?: string }, options?: RequestOptions): Promise<FuzzReport>;
  /**
   * Finds inputs that tools accept by calling them, with what must be called before, or tries those that are given. What
   * works becomes tests of the session, and is kept: in `output`, a file of this machine, else in a session in
   * `.pth/learned.yaml` of its worktree, else for this session alone.
   * @throws {PthError} `NOT_NOW` before the plugin is loaded; `INVALID_TEST_FILE`; what starting the server fails with
   */
  learn(request: LearnOptions, options?: RequestOptions): Promise<LearnedTests>;
  results(filter?: TestFilter): SessionResults;
}
