/** Observations of a running test; judging them makes a verdict. */
import type { CallOutcome, ClientCapability, ConnectionLoss } from "./plugin.ts";
import type { HangInspection } from "./stuck.ts";
import type { PlannedAgent } from "./prompt_agent.ts";
import type { StepAction, TestCase, VerifyCommand } from "./test_case.ts";
import type { Verdict } from "./verdict.ts";

export interface CommandObservation {
  command: VerifyCommand;
  /** `code` is null where a signal ended the command. */
  result: { code: number | null; stdout: string; stderr: string };
}

/** Result of a step's action. */
export interface StepResult {
  /** Action as it was sent, with variables replaced. */
  action: StepAction;
  /** The answer; for `wait_for` the notification's `params`. Absent where nothing came, or the call was cancelled. */
  outcome?: CallOutcome;
  /** The call was cancelled as the step says; `alive` tells whether the server answered a `ping` after it. */
  cancelled?: { afterMs: number; alive: boolean };
  /** Methods that the server requested without a scripted reply, in order. */
  unscripted: string[];
  /** Scripted replies that the server did not ask for. */
  unused: { elicitation: number; sampling: number };
}

/** A step with all that was seen of it, and what it came to. */
export interface StepObservation extends StepResult {
  /** `verify` commands of the step. */
  commands: CommandObservation[];
  /** Values captured from its answer for later steps. */
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
    /** Inspection of the server's processes before the limit; absent where there was none. */
    inspection?: HangInspection;
  };
  /** No server could be had, or the call could not be made. */
  callError?: unknown;
  /** Error in `setup`; nothing was called then. */
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
  /** True if any well-formed answer is accepted, since the generator does not know the tool's meaning. */
  openEnded: boolean;
  /** Capabilities that the client declares in this test; default none. */
  abilities?: readonly ClientCapability[];
  /** Group of tests with server instances of their own; one that takes long does not keep others waiting. */
  group?: string;
  /** A check that calls tools: it waits for the tests, as they share files. */
  callsTools?: boolean;
  /** Agent that works on its prompt. */
  agent?: PlannedAgent;
}

export interface RunRules {
  isolation: "shared" | "per_test";
  /** Findings count as failures. */
  strict: boolean;
  /** Coverage is measured test by test, where the server is measured. */
  coverage?: boolean;
  /** Whether verdicts of groups depend on what ran before is looked at. */
  checksOrder?: boolean;
  /** Number of servers for later tests that are started ahead; 0 if absent. */
  opensAhead?: number;
  /** Time in ms that a server takes to start; absent: all servers are started at once. */
  startMs?: number;
  /** Number of times that a failed test is repeated; 0 if absent. */
  retries?: number;
}
