/** Results of evals. */
import type { AgentSessionResult } from "./agent_session.ts";
import type { EvalGrader } from "./eval_case.ts";

export interface GraderResult {
  name: string;
  type: EvalGrader["type"];
  weight: number;
  passed: boolean;
  explanation: string;
}

/** Result of one session of a case, with its judges. */
export interface EvalRunResult {
  /** `refused`: it was not run, or cannot be judged; that is no pass. */
  status: "passed" | "failed" | "refused";
  /** Weight of the graders that passed, of all; 0 where it was refused. */
  score: number;
  graders: GraderResult[];
  /** Reasons of the session, not of graders. */
  problems: string[];
  warnings: string[];
}

/** Sessions of a run so far. */
export interface EvalWork {
  session: AgentSessionResult;
  /** Sessions of the judges that were asked, in the order of their graders. */
  judgements: AgentSessionResult[];
}

/** Verdicts of all graders; or the prompt of the next judge, whose answer is needed for them. */
export type EvalGrading = Pick<EvalRunResult, "graders" | "problems" | "warnings"> | { ask: string };

/**
 * Result of a case: passed where all of its runs did, with their mean score. A grader passed where it did in all of them;
 * its explanation is that of the first run that it failed.
 */
export interface EvalCaseResult extends EvalRunResult {
  name: string;
  /** Folder of the case, below the plugin's. */
  folder: string;
  /** Number of runs that passed. */
  passes: number;
  runs: EvalRunResult[];
}

export interface EvalReport {
  /** `pth`, or the agent whose own runner judged. */
  by: string;
  agent: string;
  version: string | undefined;
  cases: EvalCaseResult[];
  /** Observations about all cases. */
  warnings: string[];
}
