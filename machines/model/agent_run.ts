/** Prompt-driven tests as plain values: an agent works, PTH keeps the books. */
import type { CommandObservation } from "./observation.ts";
import type { CallOutcome, ConnectionLoss } from "./plugin.ts";
import type { JudgedItem, Verdict } from "./verdict.ts";

export interface AgentCall {
  tool: string;
  input: Record<string, unknown>;
  outcome: CallOutcome;
}

/** Results of an agent's work. */
export interface AgentWork {
  calls: AgentCall[];
  /** Absent where the run ended before it was judged. */
  checklist?: JudgedItem[];
  /** `verify` commands that ran after it. */
  commands: CommandObservation[];
  loss?: ConnectionLoss;
  setupFailure?: string;
  /** The limit passed before the run was closed. */
  timedOut?: boolean;
  /** The agent gave the run up, and why. */
  abandoned?: string;
  /** No server could be had, or `verify` could not run. */
  error?: unknown;
}

export interface AgentRunEnd {
  runId: string;
  testId: string;
  verdict: Verdict;
  work: AgentWork;
  connectionId: string | undefined;
  pid: number | undefined;
}
