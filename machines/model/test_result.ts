/** Outcomes of tests as plain values (PTH design §5.4). */
import type { JudgedItem } from "./agent_run.ts";
import type { Tier } from "./environment.ts";
import type { GeneratedFrom } from "./test_case.ts";

export type TestStatus = "passed" | "failed" | "skipped" | "flaky";

export type FailureCategory =
  | "build-failure"
  | "runtime-exception"
  | "schema-violation"
  | "wrong-output"
  | "missing-side-effect"
  | "unexpected-side-effect"
  | "timeout"
  | "protocol-error"
  | "dependency-error";

/** Something worth telling that is not a failure. */
export interface Finding {
  severity: "error" | "warning" | "info";
  /** For example `schema-not-enforced`. */
  code: string;
  tool?: string;
  message: string;
}

/** What judging a test's observations came to; the machine adds who, when and how long. */
export interface Verdict {
  status: TestStatus;
  category?: FailureCategory;
  /** One clear text for a failure; its first line stands alone. */
  message?: string;
  /** Reason of a skip, or what else is to be known. */
  note?: string;
  expected?: unknown;
  actual?: unknown;
  findings: Finding[];
  /** Tier 3: what the agent judged, with its evidence. */
  checklist?: JudgedItem[];
  /** Index (from 0) of the step that failed, in a test of steps. */
  failedStep?: number;
}

/** A test that ran several times because it failed (PTH design §5.3, "Flakiness Detection"). */
export interface Flakiness {
  /** Of this run, the first one included. */
  attempts: number;
  failures: number;
  /** Failures by runs over the history that is known, this run included; 0 to 1. */
  rate: number;
  runs: number;
  /** How sure it is that the differing outcomes are no single chance event; 0 to 1. */
  confidence: number;
}

export interface TestResult extends Verdict {
  id: string;
  name: string;
  tier: Tier;
  tool?: string;
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
  /** Last lines of the server's stderr, for a failure. */
  stderrTail?: string;
  /** Environment of the matrix that it ran in, where there are several. */
  entry?: string;
  /** Commit of the session branch that the plugin was loaded from when it ran; absent where the source is under no git. */
  commit?: string;
  /** Environment that it ran in. */
  environmentId?: string;
}

export interface SuiteSummary {
  total: number;
  passed: number;
  failed: number;
  skipped: number;
  flaky: number;
  durationMs: number;
}
