/** The loop of testing and fixing as plain values. */
import type { DiagnosisReport } from "./diagnosis.ts";
import type { FixRecord, FixRequest } from "./fix.ts";
import type { SuiteOptions } from "./suite_options.ts";
import type { FailureCategory, TestStatus } from "./verdict.ts";

/** Tests that an iteration runs: all, those that failed last, or ids. */
export type IterationScope = "all" | "failing" | string[];

/** Options of a run of the loop. */
export interface IterationRun {
  /** Fixes that the caller supplies; each becomes a commit, and the run starts at fixing. */
  fixes?: FixRequest[];
  /** Shell command that is asked for a fix of each root cause, on the host. */
  fixer?: string;
  /** Limit of each of its answers; 600 by default. */
  fixerTimeoutSeconds?: number;
  /** At most so many iterations in this run; one by default. */
  maxIterations?: number;
  /** Ends after so many iterations without progress, 3 by default. */
  patience?: number;
  /** "all" by default. With another one, everything runs once more before the loop says that all is green. */
  scope?: IterationScope;
  suite?: SuiteOptions;
  /**
   * After fixes, run only the tests that they affect and those that failed; all run once more before the loop says that all is
   * green. True measures coverage for it; without a word it is done where coverage is measured anyway.
   */
  impact?: boolean;
  /** Generate tests for tools that are new or changed; true by default. */
  generate?: boolean;
  /** Distribution that it runs on, where several are verified: records of others are no history of this one's. */
  distro?: string;
  /** True if fixes are only meant for that distribution (trailer `PTH-Distro`). */
  distroOnly?: boolean;
}

export interface FailingTest {
  id: string;
  name: string;
  tool?: string;
  category?: FailureCategory;
}

/** Latest status of each test by its id; one that never ran has none. */
export type TestStatuses = Readonly<Record<string, TestStatus | undefined>>;

/** Test status of a session at one moment. */
export interface TestStatusSummary {
  total: number;
  passed: number;
  skipped: number;
  /** Number of those that passed which failed in another attempt; absent is none. */
  flaky?: number;
  failing: FailingTest[];
  /** Number of failed tests, where not all of them are listed. */
  failed?: number;
  /** Number of results that are older than the newest fix or revert; absent is none. */
  stale?: number;
  /** Reason why the branch's code does not run, if it does not; then nothing could be tested. */
  loadError?: string;
}

export interface IterationRecord {
  /** Counts from 1 over the whole session, also a resumed one. */
  number: number;
  /** Distribution that was verified; absent in the loop on the session's own environment. */
  distro?: string;
  /** ISO time. */
  at: string;
  before: TestStatusSummary;
  after: TestStatusSummary;
  /** Tests that failed before and pass now, and the other way round, by name. */
  mended: string[];
  broken: string[];
  /** Tests that fail now and had neither passed nor failed before: new ones, and those that were skipped, flaky or not run. */
  appeared?: string[];
  /** Number of tests added since the iteration before; absent for none. */
  added?: number;
  removed?: number;
  /** True for an old iteration, of which only the figures are kept: lists are empty, and say nothing. */
  shortened?: true;
  /** Root causes that were found, with what was done about each. */
  groups: { id: string; cause: string; tests: number }[];
  fixes: { commit: string; title: string; files: string[] }[];
  /** Fixes that were proposed and not applied. */
  refused: { title: string; reason: string }[];
  tools?: { added: string[]; removed: string[]; changed: string[]; total: number };
  /** Tests that were generated for new and changed tools. */
  newTests: number;
  /** Problems of the environment at the end; empty is healthy. */
  health: string[];
  /** Wall-clock milliseconds by phase. */
  timings: { [phase in StepName]?: number };
}

export type StepName = "test" | "diagnose" | "fix" | "reload" | "retest" | "record";

export type ConvergenceTrend = "untested" | "green" | "improving" | "plateau" | "oscillating" | "regressing";

export interface Convergence {
  trend: ConvergenceTrend;
  /** Tests that pass: before the first iteration, then after each. */
  progress: number[];
  /** Tests that there were each time: fixes add tools, and tests with them. */
  totals: number[];
  /** The latest of them. */
  total: number;
  /** Iterations since fewer tests failed than ever before; 0 when the latest one was such. */
  stale: number;
  /** One sentence on what the trend is read from. */
  reason: string;
  /** Suggestion for the next step, if there is one. */
  suggestion?: string;
  /** Tests that pass on each distribution that was verified, as it stood last. */
  distros?: { distro: string; passed: number; total: number }[];
}

/** Result of a run of the loop. */
export interface IterationOutcome {
  state: "green" | "awaiting_fixes" | "stopped";
  /** Reason why it stopped. */
  reason?: "max_iterations" | "no_progress" | "cancelled";
  /** Number of the latest iteration. */
  iteration: number;
  /** Records of this run, oldest first; an iteration that awaits fixes is not recorded yet. */
  records: IterationRecord[];
  convergence: Convergence;
  standing: TestStatusSummary;
  /** With `awaiting_fixes`. */
  diagnosis?: DiagnosisReport;
  /** Commits of this run. */
  fixes: FixRecord[];
}

/** Data of an interrupted session for the loop. */
export interface IterationInput {
  /** Records of the session before its interruption, oldest first. */
  records: IterationRecord[];
  /** Number of the latest iteration, which may have no record. */
  last: number;
}

/** Step of the loop as people read it. */
export type IterationPhase =
  | "testing"
  | "diagnosing"
  | "awaiting fixes"
  | "fixing"
  | "reloading"
  | "retesting"
  | "confirming"
  | "recording";
