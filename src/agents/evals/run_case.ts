/** One case of evals as sessions of an agent on a playbook: its own, and one for each grader that a model judges. */
import type { AgentSessionRequest, AgentSessionResult } from "../../../machines/model/agent_session.ts";
import type { Playbook } from "../../../machines/model/playbook.ts";
import type { EvalCase } from "./eval_case.ts";
import { type EvalCaseResult, type GraderResult, judgedCase, refusedCase } from "./eval_result.ts";
import { gradeCase, limitsBroken, type LlmGrader, runnerOnlyReasons } from "./grade_case.ts";
import { gradeByJudge, graderPrompt } from "./grade_by_judge.ts";
import { judgeProblems } from "./judge_problems.ts";

/** Limit of a judge's session. */
const judgeMs = 60_000;

/** Agent of all cases. */
export type EvalAgent = Pick<AgentSessionRequest, "agent" | "program" | "command" | "project">;

export async function runCase(
  each: EvalCase,
  playbook: Playbook | undefined,
  agent: EvalAgent,
  run: (request: AgentSessionRequest) => Promise<AgentSessionResult>,
): Promise<EvalCaseResult> {
  const refused = refusals(each, playbook);
  if (playbook === undefined || refused.length > 0) return refusedCase(each, refused);
  const { judge = [], ...played } = playbook;
  const { prompt, timeout_seconds: seconds, model } = each.execution;
  const session = await run({
    ...agent,
    prompt,
    playbook: played,
    timeoutMs: seconds * 1000,
    ...(model === undefined ? {} : { model }),
  });
  const judged: GraderResult[] = [];
  for (const [index, grader] of llmGraders(each).entries()) {
    const lanes = [{ name: "judge", turns: [judge[index]!] }];
    const request = {
      ...agent,
      prompt: graderPrompt(grader, session),
      playbook: { lanes },
      timeoutMs: judgeMs,
    };
    judged.push(gradeByJudge(grader, await run(request)));
  }
  const free = gradeCase(each, session);
  const graders = each.graders.map(({ name }) => [...free, ...judged].find((found) => found.name === name)!);
  const limits = agent.agent === "claude" ? limitsBroken(each, session) : [];
  return judgedCase(each, graders, [...session.failures, ...limits], session.trace.warnings);
}

const llmGraders = ({ graders }: EvalCase): LlmGrader[] =>
  graders.filter((grader): grader is LlmGrader => grader.type === "llm");

function refusals(each: EvalCase, playbook: Playbook | undefined): string[] {
  const alone = runnerOnlyReasons(each).map((reason) =>
    `${reason}: only Claude Code's own runner can judge it`
  );
  return [
    ...(playbook === undefined ? ["it has no playbook"] : judgeProblems(llmGraders(each), playbook)),
    ...alone,
  ];
}
