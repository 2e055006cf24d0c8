import type { HangInspection } from "./stuck.ts";

/** Result of judging a test's observations; the machine adds identity, time and duration. */
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
  /** Inspection of the server's processes before the limit, where no answer came. */
  hang?: HangInspection;
  /** Set where the test failed for nothing else; gone once the suite has ended. */
  noise?: StdoutNoise;
}

/** Lines on stdout that are no protocol, within a test. */
export interface StdoutNoise {
  lines: string[];
  /** Number of them, from the first on, that came with the first call of their server: they may be of its start. */
  firstCall: number;
  /** Lines that this server had written before that call. */
  started: string[];
  /** Verdict without them. */
  otherwise: Pick<Verdict, "status" | "note">;
}

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

/** Note that is reported without failing a test. */
export interface Finding {
  severity: "error" | "warning" | "info";
  /** For example `schema-not-enforced`. */
  code: string;
  tool?: string;
  message: string;
}

/** Agent's judgement of one item of the checklist. */
export interface JudgedItem {
  /** Item as in the test. */
  item: string;
  met: boolean;
  /** Proof: a tool's answer, or the output of a command. */
  evidence: string;
}
