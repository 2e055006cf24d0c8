/** Agents that work on tests with a prompt in a suite, and the sessions that they have there. */
import type { AgentCommandLine, AgentSessionRequest, UpstreamAddress } from "./agent_session.ts";
import type { Budget } from "./budget.ts";
import type { Playbook } from "./playbook.ts";

/** Agent for all tests with a prompt. */
export interface PromptAgent {
  /** Name of the agent: `claude` … */
  agent: string;
  program?: string;
  /** For the agent `command` alone. */
  command?: AgentCommandLine;
  playbooks: PlaybookChoice;
}

/** One playbook for every test, or one for each by the test's id; `place` is the file or folder, for messages. */
export type PlaybookFiles =
  | { place: string; each: Playbook }
  | { place: string; byTest: Record<string, Playbook> };

/** Playbooks, or a real model with its address as `place`. */
export type PlaybookChoice = PlaybookFiles | { place: string; real: RealModel };

export interface RealModel {
  upstream: UpstreamAddress;
  /** Absent: the agent's own. */
  model?: string;
  /** Limit of a whole run of tests. */
  budget?: Budget;
}

/** Sessions of one test; `problem` is the reason why there can be none. */
export type PlannedAgent =
  | {
    work: AgentSessionRequest;
    /** Session that judges the checklist, whose prompt is made of what was done; absent: there is no checklist. */
    judge?: AgentSessionRequest;
    /** Servers of the test run are ended first: the agent starts the plugin's server by itself. */
    startsServer: boolean;
  }
  | { problem: string };
