/** Runs of a fixture's tests: what is asked of one, and what it comes to. */
import type { AgentFixture, AgentTest, AgentTestJudgement } from "./agent_fixture.ts";
import type { AgentCommandLine, AgentSessionResult } from "./agent_session.ts";
import type { RealModel } from "./prompt_agent.ts";

export interface FixtureRunRequest {
  fixture: Pick<AgentFixture, "name">;
  /** Tests to run, in order. */
  tests: AgentTest[];
  /** Programs on the host by the names of agents; absent: the agent's own on this machine. */
  programs?: Record<string, { program?: string; command?: AgentCommandLine }>;
  /** Model for tests without a playbook; its budget is that of the whole run. */
  real?: RealModel;
  /** Number of times that a test runs again until it passes. */
  retries: number;
  /** Number of tests that fail until no more run. */
  bail?: number;
}

/** Result of an agent's session, or the error that kept it from running. */
export type SessionOutcome = { session: AgentSessionResult } | { error: unknown };

/** One test that ran; of several attempts the last. */
export interface AgentTestResult {
  /** Id of the test. */
  id: string;
  judgement: AgentTestJudgement;
  /** Absent: there was no session, and the judgement says why. */
  session?: AgentSessionResult;
  /** Start of the last attempt, in ms since the epoch. */
  startedAt: number;
  durationMs: number;
  attempts: number;
}

export interface FixtureRunResult {
  results: AgentTestResult[];
  /** Tests that did not run, and why. */
  notRun: { id: string; reason: string }[];
}

/** Facts about a run while it goes on. */
export type FixtureRunFact =
  | { type: "agent_test.started"; fixture: string; id: string; name: string; attempt: number }
  | {
    type: "agent_test.finished";
    fixture: string;
    id: string;
    name: string;
    result: Omit<AgentTestResult, "session">;
    /** Whether it runs once more. */
    again: boolean;
  };
