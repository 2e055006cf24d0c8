/** Runs of a plugin's evals: what is asked for, and the sessions that it takes. */
import type { AgentSessionRequest } from "./agent_session.ts";
import type { EvalCase } from "./eval_case.ts";
import type { PlaybookFiles, PromptAgent } from "./prompt_agent.ts";

/** Runners that have cases judged: PTH, or the agent's own runner of evals. */
export const evalRunners = ["pth", "agent"] as const;
export type EvalRunner = (typeof evalRunners)[number];

/** Most runs of a case, as in Claude Code's own format. */
export const mostEvalRuns = 50;

/** Cases that fit every part; empty: all. */
export interface EvalFilter {
  /** Glob that the whole name fits. */
  case?: string;
  tag?: string;
  /** Regular expression that the name matches. */
  grep?: string;
}

export interface EvalRequest {
  agent: PromptAgent & { playbooks: PlaybookFiles };
  /** Host folder of which the agent works in a copy; absent: an empty one. Not for the agent's own runner. */
  project?: string;
  by: EvalRunner;
  filter: EvalFilter;
  /** Sessions of each case; absent: as many as the case says. */
  runs?: number;
  /** Sessions side by side. */
  workers: number;
}

/** A case with its sessions, or the reasons why it is not run. */
export interface PlannedEval {
  case: EvalCase;
  by: EvalRunner;
  runs: number;
  sessions:
    | {
      work: AgentSessionRequest;
      /** One for each grader that a model judges; their prompts are made of what was done. */
      judges: AgentSessionRequest[];
    }
    | { refused: string[] };
}

export interface PlannedEvals {
  cases: PlannedEval[];
  /** Observations about all cases. */
  warnings: string[];
}
