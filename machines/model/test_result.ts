import type { ToolExercise } from "./tool_exercise.ts";
import type { StaleResults } from "./stale_results.ts";
import type { Tier } from "./environment.ts";
import type { GeneratedFrom, OwnTest } from "./test_case.ts";
import type { Verdict } from "./verdict.ts";

/** A test that ran several times because it failed. */
export interface Flakiness {
  /** Attempts in this run, the first one included. */
  attempts: number;
  failures: number;
  /** Failures by runs over the history that is known, this run included; 0 to 1. */
  rate: number;
  runs: number;
  /** Confidence that the differing outcomes are no chance event; 0 to 1. */
  confidence: number;
}

export interface TestResult extends Verdict {
  id: string;
  name: string;
  tier: Tier;
  tool?: string;
  /** Set for a test of the plugin's own suite. */
  own?: OwnTest;
  generatedFrom: GeneratedFrom;
  durationMs: number;
  /** Milliseconds since the epoch. */
  startedAt: number;
  file?: string;
  line?: number;
  /** Connection that served it, and the server's pid where it is known. */
  connection?: string;
  serverPid?: number;
  flakiness?: Flakiness;
  /** Last lines of the server's stderr, or of what an own test printed, for a failure. */
  stderrTail?: string;
  /** Environment of the matrix that it ran in, where there are several. */
  entry?: string;
  /** Commit of the session branch that the plugin was loaded from when it ran; absent where the source is under no git. */
  commit?: string;
  /** Environment that it ran in. */
  environmentId?: string;
}

/** Results of tests that ran together. */
export interface TestRunResult {
  summary: SuiteSummary;
  results: TestResult[];
  /** Remarks on the run: the choice of tests, changed files, the state of the environment. */
  notes?: string[];
  stale?: StaleResults;
  /** Account of each tool of the plugin, by the latest result of each test. */
  exercise?: ToolExercise[];
}

export interface SuiteSummary {
  total: number;
  passed: number;
  failed: number;
  skipped: number;
  flaky: number;
  durationMs: number;
}
