/** What was seen while a test ran; judging it makes a verdict. */
import type { CallOutcome, ClientCapability, ConnectionLoss } from "./plugin.ts";
import type { StepAction, TestCase, VerifyCommand } from "./test_case.ts";
import type { Verdict } from "./verdict.ts";

export interface CommandObservation {
  command: VerifyCommand;
  /** `code` is null where a signal ended the command. */
  result: { code: number | null; stdout: string; stderr: string };
}

/** What came of a step's action. */
export interface StepResult {
  /** As it was sent, variables replaced. */
  action: StepAction;
  /** The answer; for `wait_for` the notification's `params`. Absent where nothing came, or the call was cancelled. */
  outcome?: CallOutcome;
  /** The call was cancelled as the step says; `alive` tells whether the server answered a `ping` after it. */
  cancelled?: { afterMs: number; alive: boolean };
  /** What the server asked and no scripted reply was left for: methods, in order. */
  unscripted: string[];
  /** Scripted replies that the server did not ask for. */
  unused: { elicitation: number; sampling: number };
}

/** A step with all that was seen of it, and what it came to. */
export interface StepObservation extends StepResult {
  /** `verify` commands of the step. */
  commands: CommandObservation[];
  /** What it took out of its answer for later steps. */
  captured: Record<string, unknown>;
  verdict: Verdict;
}

export interface Observation {
  /** Steps that were judged, in order; the last one may have failed. */
  steps?: StepObservation[];
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
  /** What the client has to offer to the server in this test; default nothing. */
  abilities?: readonly ClientCapability[];
}

export interface RunRules {
  isolation: "shared" | "per_test";
  /** Findings count as failures. */
  strict: boolean;
  /** How often a failed test runs again; 0 where absent. */
  retries?: number;
}
