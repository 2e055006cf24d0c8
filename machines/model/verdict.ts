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

/** What the agent says of one item of the checklist. */
export interface JudgedItem {
  /** As it stands in the test. */
  item: string;
  met: boolean;
  /** What shows it: what a tool answered, what a command printed. */
  evidence: string;
}
