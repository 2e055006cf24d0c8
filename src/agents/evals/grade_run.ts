/** Grades a run of a case: asks for its judges one by one, then gives the verdicts of all graders. */
import type { PlannedEval } from "../../../machines/model/eval_request.ts";
import type { EvalGrading, EvalWork, GraderResult } from "../../../machines/model/eval_result.ts";
import { gradeByJudge, graderPrompt } from "./grade_by_judge.ts";
import { gradeCase, limitsBroken, llmGraders } from "./grade_case.ts";
import { verdictsOfClaude } from "./verdicts_of_claude.ts";

/** Judges are asked only about a session that went as its playbook says. */
export function gradeRun(
  { case: each, by, sessions }: PlannedEval,
  { session, judgements }: EvalWork,
): EvalGrading {
  if (by === "agent") return verdictsOfClaude(each, session);
  const failed = session.failures.length > 0;
  const judges = llmGraders(each);
  const next = judges[judgements.length];
  if (next !== undefined && !failed) return { ask: graderPrompt(next, session) };
  const judged = judges.map((grader, index): GraderResult => {
    const judgement = judgements[index];
    if (judgement !== undefined) return gradeByJudge(grader, judgement);
    const { name, type, weight } = grader;
    return { name, type, weight, passed: false, explanation: "the judge was not asked: the session failed" };
  });
  const found = [...gradeCase(each, session), ...judged];
  const isClaude = "work" in sessions && sessions.work.agent === "claude";
  return {
    graders: each.graders.map(({ name }) => found.find((grader) => grader.name === name)!),
    problems: [...session.failures, ...(isClaude ? limitsBroken(each, session) : [])],
    warnings: session.trace.warnings,
  };
}
