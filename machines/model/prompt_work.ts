/** Work of an agent on a test with a prompt: what came of its sessions. */
import type { AgentSessionResult } from "./agent_session.ts";
import type { CommandObservation, PlannedTest } from "./observation.ts";

/** Results of the sessions and commands of a test. */
export interface PromptWork {
  session?: AgentSessionResult;
  judgement?: AgentSessionResult;
  /** `verify` commands, which ran between the two. */
  commands: CommandObservation[];
  setupFailure?: string;
  /** The test's limit passed before it was done. */
  timedOut?: boolean;
  /** Error of a session that could not be run, or of `verify`. */
  error?: unknown;
}

export interface PromptJudgeInput {
  planned: PlannedTest;
  work: PromptWork;
}
