/** One case of evals by `claude plugin eval` itself, with the playbook in the place of its model and of its judges. */
import type { AgentSessionRequest, AgentSessionResult } from "../../../machines/model/agent_session.ts";
import type { Playbook } from "../../../machines/model/playbook.ts";
import { isObject, jsonIn } from "../../core/values.ts";
import type { EvalCase, EvalGrader } from "./eval_case.ts";
import { type EvalCaseResult, type GraderResult, judgedCase, refusedCase } from "./eval_result.ts";
import { judgeProblems } from "./judge_problems.ts";

/** Claude Code asks its judge so often for each grader; the majority counts. */
const votes = 3;
/** Time that its runner takes for judges and reports, beyond that of the case. */
const runnerMs = 60_000;

/** @param isolated Whether scripts of the case may run where the agent works. */
export async function runCaseByClaude(
  each: EvalCase,
  playbook: Playbook | undefined,
  program: string | undefined,
  isolated: boolean,
  run: (request: AgentSessionRequest) => Promise<AgentSessionResult>,
): Promise<EvalCaseResult> {
  const scaffold = each.runnerOnly.includes("context.scaffold_script");
  const refused = [
    ...(playbook === undefined
      ? ["it has no playbook"]
      : judgeProblems(each.graders.filter(isJudged), playbook)),
    ...(scaffold && !isolated
      ? ["it has context.scaffold_script, which would run on this machine itself"]
      : []),
  ];
  if (playbook === undefined || refused.length > 0) return refusedCase(each, refused);
  const { judge = [], lanes } = playbook;
  const judged = judge.flatMap((turn) => Array.from({ length: votes }, () => turn));
  const judges = { name: "judge", match: { system: "evaluation judge", no_tools: ["*"] }, turns: judged };
  const { timeout_seconds: seconds, allowed_tools: allowTools } = each.execution;
  const session = await run({
    agent: "claude-eval",
    ...(program === undefined ? {} : { program }),
    prompt: each.execution.prompt,
    playbook: { lanes: judge.length === 0 ? lanes : [judges, ...lanes] },
    evaluation: { name: each.name, allowTools, scaffold },
    timeoutMs: seconds * 1000 + runnerMs,
  });
  const { graders, problems, warnings } = readResult(each, session);
  return judgedCase(each, graders, [...session.failures, ...problems], [
    ...session.trace.warnings,
    ...warnings,
  ]);
}

const isJudged = ({ type }: EvalGrader): boolean => type === "llm" || type === "baseline";

type Read = Pick<EvalCaseResult, "graders" | "problems" | "warnings">;

/** Result of the case, which the runner has to have run once. */
function readResult(each: EvalCase, { trace }: AgentSessionResult): Read {
  const end = trace.timeline.at(-1);
  const said = end?.type === "end" ? end.text ?? "" : "";
  const result = jsonIn(said);
  const cases = isObject(result) && Array.isArray(result.cases) ? result.cases : [];
  const [found] = cases;
  const runs = isObject(found) && Array.isArray(found.runs) ? found.runs.filter(isObject) : [];
  const [only] = runs;
  if (cases.length !== 1 || runs.length !== 1 || only === undefined) {
    const words = said === "" ? "it says nothing" : said.slice(-500);
    return {
      graders: [],
      problems: [`claude plugin eval has no result of this case: ${words}`],
      warnings: [],
    };
  }
  const told = Array.isArray(only.graders) ? only.graders.filter(isObject) : [];
  const graders = each.graders.map(({ name, type, weight }): GraderResult => {
    const own = told.find((grader) => grader.name === name);
    if (own === undefined) {
      return { name, type, weight, passed: false, explanation: "claude plugin eval does not judge it" };
    }
    return { name, type, weight, passed: own.passed === true, explanation: String(own.explanation ?? "") };
  });
  return {
    graders,
    problems: typeof only.error === "string" ? [only.error] : [],
    warnings: Array.isArray(only.warnings) ? only.warnings.map(String) : [],
  };
}
