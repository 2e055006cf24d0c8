import type { MatrixReport } from "./matrix.ts";
import type { PerformanceReport } from "./performance.ts";
import type { FailureCategory } from "./verdict.ts";
import type { ConvergenceTrend, IterationRecord } from "./iteration.ts";

/** `.pth/session-state.json`: enough to go on after an interruption; overwritten by each checkpoint. */
export interface SessionState extends SessionProgress {
  version: 1;
  sessionId: string;
  /** A branch that began after a merge has the file of an older session. */
  branch: string;
  /** Commit that the branch started from. */
  base: string;
  /** ISO time. */
  savedAt: string;
  plugin: { name: string; version?: string };
  /** Environment that a resumed session provisions again, as requested; absent before the first environment. */
  environment?: Record<string, unknown>;
  /** Target of the session as requested, without paths of the host. */
  target: Record<string, unknown>;
  /** Variables whose values are kept nowhere: whoever resumes gives them again. */
  withheld: string[];
  /** Other parts of the request that are not saved, in words. */
  leftOut: string[];
  /** Latest status of each test, by id; `of` is the place of its commit among `commits`, absent where that is not known. */
  tests: Record<string, { status: string; category?: FailureCategory; of?: number }>;
  /** Commits that results are of. */
  commits?: string[];
  /** Milliseconds, by step. */
  timings: Record<string, number>;
  /** The latest matrix run, and the latest figures, with the commits that they are of. */
  matrix?: MatrixReport;
  performance?: PerformanceReport;
  measuredOf?: MeasuredOf;
}

/** Progress of a session's loop. */
export interface SessionProgress {
  /** Number of the latest iteration, recorded or not; 0 before the first. */
  iteration: number;
  trend: ConvergenceTrend;
  /** Root causes of what still fails. */
  causes: { id: string; category: string; cause: string; tests: string[] }[];
  /** Oldest first. */
  records: IterationRecord[];
}

/** Commits of the plugin that was measured; absent where it is under no git. */
export interface MeasuredOf {
  matrix?: string;
  performance?: string;
}
