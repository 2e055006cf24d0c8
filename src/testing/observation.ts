/** What running a test brought to light; the actors gather it, `judge` weighs it. */
import type { CallOutcome, ConnectionLoss, ToolDefinition } from "../../machines/model/plugin.ts";
import type { VerifyCommand } from "../../machines/model/test_case.ts";

export interface Observation {
  /** The tool as `tools/list` gave it; absent when it lists none of this name. */
  tool?: ToolDefinition;
  /** Answer of the test's call. */
  outcome?: CallOutcome;
  /** Answer of the control call, which comes first. */
  control?: CallOutcome;
  /** `verify` commands that ran, in order. */
  commands: { command: VerifyCommand; result: { code: number; stdout: string; stderr: string } }[];
  /** The server went away while the test ran. */
  loss?: ConnectionLoss;
  /** The test's limit passed without an answer. */
  timedOut?: {
    afterMs: number;
    /** Whether a `ping` right after was answered. */
    answersPing: boolean;
    /** Progress notifications seen for the call; absent counts as none. */
    progress?: number;
  };
  /** A call that ended in neither an answer nor a lost server (`PROTOCOL_VIOLATION`: an answer without end; `START_FAILED` …). */
  callError?: { code: string; message: string };
  /** Lines on stdout that are no JSON-RPC, seen between the test's begin and end; not those from before. */
  strayOutput: string[];
  /** What went wrong in `setup`; nothing was called then. */
  setupFailure?: string;
}
