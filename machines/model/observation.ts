/** What was seen while a test ran; judging it makes a verdict. */
import type { CallOutcome, ConnectionLoss } from "./plugin.ts";
import type { TestCase, VerifyCommand } from "./test_case.ts";

export interface CommandObservation {
  command: VerifyCommand;
  /** `code` is null where a signal ended the command. */
  result: { code: number | null; stdout: string; stderr: string };
}

export interface Observation {
  /** Answer to the test's call. */
  outcome?: CallOutcome;
  /** Answer to the control call of a negative test, which comes first. */
  control?: CallOutcome;
  /** `verify` commands that ran, in order. */
  commands: CommandObservation[];
  /** The server went away during the test. */
  loss?: ConnectionLoss;
  /** The test's limit passed without an answer. */
  timedOut?: {
    afterMs: number;
    /** Whether a `ping` right after was answered. */
    answersPing: boolean;
    /** Signs of life seen for the call; absent counts as none. */
    progress?: number;
  };
  /** No server could be had, or the call could not be made. */
  callError?: unknown;
  /** What went wrong in `setup`; nothing was called then. */
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
  /** It knows nothing of the tool's meaning, and so accepts any honest answer. */
  openEnded: boolean;
}

export interface RunRules {
  isolation: "shared" | "per_test";
  /** Findings count as failures. */
  strict: boolean;
  /** How often a failed test runs again; 0 where absent. */
  retries?: number;
}
