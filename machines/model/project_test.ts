/** Projects' own tests, as their framework runs them: requests, live events and results. */

export type TestLevel = "unit" | "integration" | "e2e";

/** Variable whose values are kept when one of the functions is entered. */
export interface WatchRequest {
  variable: string;
  /** Patterns of functions; absent: all traced ones. */
  on?: string[];
}

export interface ProjectTestRequest {
  /** Framework by name; absent: the one that fits the project best. */
  framework?: string;
  /** Absent: all levels. */
  level?: TestLevel;
  /** Name of the single test to run. */
  test?: string;
  /** Test program, or command, where the framework needs one. */
  command?: string;
  /** Patterns of functions whose calls are traced. */
  tracePatterns?: string[];
  watches?: WatchRequest[];
  env?: Record<string, string>;
  /** Limit of the whole run in ms; absent: by level. */
  timeoutMs?: number;
}

/** A test as its framework names it; two of the same name in different suites are two tests. */
export interface TestName {
  /** Name as `test` of a request takes it. */
  name: string;
  /** Program, file or module that it belongs to, where a framework has such. */
  suite?: string;
}

export interface TestLocation {
  /** Path relative to the project's folder where it lies within, else as the framework says. */
  file: string;
  /** From 1. */
  line?: number;
  column?: number;
}

/** Event of a framework while it runs. Output that belongs to no test has none. */
export type ProjectTestEvent =
  /** More tests are known to come: so many, or, where only suites are told, unknown. */
  | { type: "planned"; suite?: string; tests?: number }
  | { type: "started"; test: TestName }
  | { type: "output"; test?: TestName; text: string }
  | { type: "finished"; test: TestName; outcome: ProjectTestOutcome }
  /** A suite that says nothing after its tests was ended by a crash or by a test that left the process. */
  | { type: "suite_ended"; suite?: string; complete: boolean; reason?: string }
  /** A failure before any test: of compiling, collecting or loading. */
  | { type: "not_run"; place?: TestLocation; message: string }
  /** A line of the framework's output that cannot be read as what it claims to be. */
  | { type: "unreadable"; text: string };

export interface ProjectTestOutcome {
  status: "passed" | "failed" | "skipped";
  durationMs?: number;
  /** Message of a failure, or reason of a skip. */
  message?: string;
  place?: TestLocation;
  /** Frames as the framework prints them, innermost first. */
  stack?: string[];
}

export type ProjectTestStatus = ProjectTestOutcome["status"] | "stuck" | "crashed" | "not_finished";

/** A test with all that is known of it at the end of the run. */
export interface ProjectTest extends TestName, Omit<ProjectTestOutcome, "status"> {
  status: ProjectTestStatus;
  /** Output of the test, cut in the middle where it is long. */
  output?: string;
  /** Command line that runs it alone, in the project's folder. */
  rerun?: string;
  suggestedTraces?: string[];
}

/** One command of a run, as it is started. */
export interface TestCommand {
  argv: string[];
  /** Relative to the project's folder; absent: that. */
  cwd?: string;
  env?: Record<string, string>;
  /**
   * True for one that starts test programs by a script of PTH's own: where PTH_TRACE_PROGRAM is set, as `sh $PTH_TRACE_PROGRAM
   * PROGRAM …`.
   */
  startsPrograms?: boolean;
}

/** A framework that fits a project, and how surely: 0 to 100. */
export interface FrameworkFound {
  framework: string;
  confidence: number;
  /** Sign that was seen: `Cargo.toml`. */
  reason: string;
  /** Need that was not met, as one sentence with the next step. */
  hint?: string;
}

/** The project as it looks without any test. */
export interface ProjectSummary {
  language: string;
  buildSystem: string;
  testFiles: number;
}
