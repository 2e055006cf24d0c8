/** Results of evals. */
import type { EvalGrader } from "./eval_case.ts";

export interface GraderResult {
  name: string;
  type: EvalGrader["type"];
  weight: number;
  passed: boolean;
  explanation: string;
}

export interface EvalCaseResult {
  name: string;
  /** Folder of the case, below the plugin's. */
  folder: string;
  /** `refused`: it was not run, or cannot be judged; that is no pass. */
  status: "passed" | "failed" | "refused";
  /** Weight of the graders that passed, of all; 0 where it was refused. */
  score: number;
  graders: GraderResult[];
  /** Reasons of the session, not of graders. */
  problems: string[];
  warnings: string[];
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

type CasePlace = Pick<EvalCaseResult, "name" | "folder">;

export const refusedCase = ({ name, folder }: CasePlace, problems: string[]): EvalCaseResult => ({
  name,
  folder,
  status: "refused",
  score: 0,
  graders: [],
  problems,
  warnings: [],
});

/** A case passes where every grader does, and the session went as its playbook says. */
export function judgedCase(
  { name, folder }: CasePlace,
  graders: GraderResult[],
  problems: string[],
  warnings: string[],
): EvalCaseResult {
  const total = graders.reduce((sum, { weight }) => sum + weight, 0);
  const won = graders.reduce((sum, { weight, passed }) => passed ? sum + weight : sum, 0);
  const isPassed = problems.length === 0 && graders.length > 0 && graders.every(({ passed }) => passed);
  return {
    name,
    folder,
    status: isPassed ? "passed" : "failed",
    score: total === 0 ? 0 : won / total,
    graders,
    problems,
    warnings,
  };
}
