/** Results of an eval's runs, and what they come to. */
import type { EvalCase } from "../model/eval_case.ts";
import type { EvalCaseResult, EvalRunResult, GraderResult } from "../model/eval_result.ts";

export const refusedRun = (problems: string[]): EvalRunResult => ({
  status: "refused",
  score: 0,
  graders: [],
  problems,
  warnings: [],
});

/** A run passes where every grader does, and the session went as its playbook says. */
export function judgedRun(
  { graders, problems, warnings }: Pick<EvalRunResult, "graders" | "problems" | "warnings">,
): EvalRunResult {
  const total = graders.reduce((sum, { weight }) => sum + weight, 0);
  const won = graders.reduce((sum, { weight, passed }) => passed ? sum + weight : sum, 0);
  const isPassed = problems.length === 0 && graders.length > 0 && graders.every(({ passed }) => passed);
  return {
    status: isPassed ? "passed" : "failed",
    score: total === 0 ? 0 : won / total,
    graders,
    problems,
    warnings,
  };
}

/** @param runs At least one. */
export function caseResult(
  { name, folder }: Pick<EvalCase, "name" | "folder">,
  runs: EvalRunResult[],
): EvalCaseResult {
  const passes = runs.filter(({ status }) => status === "passed").length;
  const failed = runs.some(({ status }) => status === "failed");
  return {
    name,
    folder,
    status: passes === runs.length ? "passed" : failed ? "failed" : "refused",
    score: runs.reduce((sum, { score }) => sum + score, 0) / runs.length,
    graders: gradersOf(runs),
    problems: [...new Set(runs.flatMap(({ problems }) => problems))],
    warnings: [...new Set(runs.flatMap(({ warnings }) => warnings))],
    passes,
    runs,
  };
}

/** Each grader once: of the first run that it failed, else of the first one. */
function gradersOf(runs: readonly EvalRunResult[]): GraderResult[] {
  const found = new Map<string, GraderResult>();
  for (const grader of runs.flatMap(({ graders }) => graders)) {
    const { name, passed } = grader;
    const known = found.get(name);
    if (known === undefined || (known.passed && !passed)) found.set(name, grader);
  }
  return [...found.values()];
}
