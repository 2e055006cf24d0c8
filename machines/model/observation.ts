/** What was seen while a test ran; judging it makes a verdict. */
import type { CallOutcome, ConnectionLoss } from "./plugin.ts";
import type { TestCase, VerifyCommand } from "./test_case.ts";

export interface CommandObservation {
  command: VerifyCommand;
  result: { code: number | null; stdout: string; stderr: string };
}

export interface Observation {
  outcome?: CallOutcome;
  /** Answer to the control call of a negative test. */
  control?: CallOutcome;
  commands: CommandObservation[];
  /** The server went away during the test. */
  loss?: ConnectionLoss;
  /** `progress` counts the signs of life seen. */
  timedOut?: { afterMs: number; answersPing: boolean; progress: number };
  /** No server could be had, or the call could not be made. */
  callError?: unknown;
  setupFailure?: string;
}

/** A test with everything decided that a run decides. */
export interface PlannedTest {
  test: TestCase;
  /** Reason not to run it at all. */
  skip?: string;
  timeoutMs: number;
  /** Whether signs of life stretch the limit (generated tests without a limit of their own). */
  extendable: boolean;
}

export interface RunRules {
  isolation: "shared" | "per_test";
  /** Findings count as failures. */
  strict: boolean;
}
