/** One suite on several distributions, as plain values. */
import type { FailureGroup } from "./diagnosis.ts";
import type { FixRecord, FixRequest } from "./fix.ts";
import type { IterationOutcome, IterationRun } from "./iteration.ts";
import type { SuiteSummary, TestResult } from "./test_result.ts";
import type { FailureCategory, TestStatus } from "./verdict.ts";

/** An environment of the matrix. */
export interface MatrixEntry {
  /** Unique in the matrix; how it is shown: `debian13`, `sandbox:debian13`, `host`. */
  name: string;
  /** Value of the trailer `PTH-Distro`: the image's distribution, `debian13` of `debian13-systemd`. */
  distro: string;
  /** Absent: the one that the session or the run uses anyway. */
  runtime?: string;
  /** Absent: the runtime's own. */
  image?: string;
}

/** Result of a matrix entry; absent fields were not reached. */
export interface MatrixEntryReport extends MatrixEntry {
  /** "broken": it could not be provisioned, or the plugin does not load there; "cancelled": it did not come to its end. */
  state: "passed" | "failed" | "broken" | "cancelled";
  /** Environment that the tests ran in: "2f1c0a9e-e2", "docker", "pth-base-debian13", "Debian GNU/Linux 13 (trixie)". */
  environment?: { id: string; runtime: string; image: string; os: string };
  summary?: SuiteSummary;
  /** Milliseconds, provisioning and loading included. */
  durationMs: number;
  error?: { code: string; message: string; next: string[] };
  /** Tests that failed there before any fix, by id. */
  failedFirst?: string[];
  /** Fixes that were made there. */
  fixes?: { commit: string; title: string; distro?: string }[];
  /** Fixes that were made elsewhere since it passed, and that it was not tested with. */
  untestedFixes?: number;
}

/** A test that does not pass everywhere. */
export interface MatrixDifference {
  /** Id of the test. */
  id: string;
  name: string;
  /** By the entry's name; an entry where it has no result has none. */
  statuses: Record<string, TestStatus>;
  /** Names of the entries where it fails. */
  failsOn: string[];
  /** True if it fails wherever it ran: the fault is not specific to a distribution. */
  everywhere: boolean;
  /** Reason why it fails on the first of them. */
  cause?: { category?: FailureCategory; message: string; place?: string };
}

export interface MatrixReport {
  /** In the order in which they were asked for; the first is the primary one. */
  entries: MatrixEntryReport[];
  /** Tests that fail on some entries first, then those that fail on all, then other differences. */
  differences: MatrixDifference[];
}

/** Options of a matrix. */
export interface MatrixRun {
  /** The one that was developed on, verified again at the end. */
  primary: MatrixEntry;
  /** The others, in this order. */
  others: MatrixEntry[];
  /** Options for testing and fixing each entry, without `fixes` and `distro`. */
  run: IterationRun;
  /** The tests are not known to pass on the primary one: it comes first, too. */
  primaryFirst: boolean;
  /** Result of the session's own distribution, if it is known: others are compared with it. */
  primaryLook?: EntryResult;
}

/** Answer to a matrix that awaits fixes. */
export type MatrixAnswer =
  /** Fixes that the caller supplies; one without `distro` is for all distributions. */
  | { fixes: FixRequest[] }
  /** Leaves what fails there. */
  | { skip: true };

/** The suite's results on one distribution, in so much as comparing them takes. */
export interface EntryResult {
  /** The environment that the results are of. */
  environment?: MatrixEntryReport["environment"];
  /** Reason why nothing was tested: the plugin does not load there. */
  error?: MatrixEntryReport["error"];
  results: Pick<TestResult, "id" | "name" | "status" | "category" | "message">[];
  summary: SuiteSummary;
  groups: FailureGroup[];
}

/** Result of a matrix in its machine. */
export interface MatrixEnd {
  /** "complete": all pass, the primary again at the end. */
  state: "complete" | "awaiting_fixes" | "failed" | "cancelled";
  /** The entry that the environment is of, by name. */
  at?: string;
  entries: { report: MatrixEntryReport; look?: EntryResult }[];
  /** With `awaiting_fixes`: the iteration that awaits them. */
  awaited?: IterationOutcome;
  /** Commits of the whole matrix run. */
  fixes: FixRecord[];
  /** Whether the primary passed at the end; absent before it was verified again. */
  primaryVerified?: boolean;
}

export interface MatrixOutcome extends Omit<MatrixEnd, "entries"> {
  matrix: MatrixReport;
}

/** Step on one distribution as people read it. */
export type MatrixPhase = "verifying" | "fixing" | "reverifying";
