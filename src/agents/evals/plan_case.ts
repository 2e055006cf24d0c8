/** Plans the sessions of a case of evals: by PTH one for the agent and one for each judge, else that of the agent's own runner. */
import type { AgentSessionRequest } from "../../../machines/model/agent_session.ts";
import type { EvalCase, EvalGrader } from "../../../machines/model/eval_case.ts";
import type { EvalRequest, PlannedEval } from "../../../machines/model/eval_request.ts";
import type { Playbook } from "../../../machines/model/playbook.ts";
import { llmGraders, runnerOnlyReasons } from "./grade_case.ts";
import { judgeProblems } from "./judge_problems.ts";

/** Limit of a judge's session. */
const judgeMs = 60_000;
/** Claude Code asks its judge so often for each grader; the majority counts. */
const votes = 3;
/** Time that its runner takes for judges and reports, beyond that of the case. */
const runnerMs = 60_000;

/** Reasons why no case can be run so: what the agent's own runner cannot do. */
export const runnerProblems = (
  { by, project }: Pick<EvalRequest, "by" | "project">,
  agent: string,
): string[] =>
  by === "pth" ? [] : [
    ...(agent === "claude" ? [] : [`claude alone runs evals by itself, not ${agent}`]),
    ...(project === undefined ? [] : ["each case has a folder of its own, no project"]),
  ];

/** @param isolated Whether scripts of the case may run where the agent works. */
export function planCase(each: EvalCase, request: EvalRequest, isolated: boolean): PlannedEval {
  const { by, runs = each.runs } = request;
  const playbook = playbookFor(each, request);
  const refused = [
    ...(playbook === undefined ? ["it has no playbook"] : judgeProblems(judgedGraders(each, by), playbook)),
    ...(by === "pth" ? ownRunnerAlone(each) : scriptProblems(each, isolated)),
  ];
  // What is not run is not run once.
  if (playbook === undefined || refused.length > 0) {
    return { case: each, by, runs: 1, sessions: { refused } };
  }
  const sessions = by === "pth"
    ? byPth(each, playbook, request)
    : byClaude(each, playbook, request, isolated);
  return { case: each, by, runs, sessions };
}

function playbookFor({ name }: EvalCase, { agent: { playbooks } }: EvalRequest): Playbook | undefined {
  if ("each" in playbooks) return playbooks.each;
  return Object.hasOwn(playbooks.byTest, name) ? playbooks.byTest[name] : undefined;
}

/** Graders that a model judges. */
const judgedGraders = (each: EvalCase, by: EvalRequest["by"]): EvalGrader[] =>
  by === "pth" ? llmGraders(each) : each.graders.filter(({ type }) => type === "llm" || type === "baseline");

const ownRunnerAlone = (each: EvalCase): string[] =>
  runnerOnlyReasons(each).map((reason) => `${reason}: only Claude Code's own runner can judge it`);

const hasScript = ({ runnerOnly }: EvalCase): boolean => runnerOnly.includes("context.scaffold_script");

const scriptProblems = (each: EvalCase, isolated: boolean): string[] =>
  hasScript(each) && !isolated
    ? ["it has context.scaffold_script, which would run on this machine itself"]
    : [];

type Sessions = { work: AgentSessionRequest; judges: AgentSessionRequest[] };

function byPth({ execution }: EvalCase, { judge = [], ...played }: Playbook, request: EvalRequest): Sessions {
  const { agent: { playbooks: _, ...agent }, project } = request;
  const { prompt, timeout_seconds: seconds, model } = execution;
  const place = { ...agent, ...(project === undefined ? {} : { project }) };
  return {
    work: {
      ...place,
      prompt,
      playbook: played,
      timeoutMs: seconds * 1000,
      ...(model === undefined ? {} : { model }),
    },
    judges: judge.map((turn) => ({
      ...place,
      prompt: "",
      playbook: { lanes: [{ name: "judge", turns: [turn] }] },
      timeoutMs: judgeMs,
    })),
  };
}

function byClaude(
  each: EvalCase,
  { judge = [], lanes }: Playbook,
  { agent: { program } }: EvalRequest,
  isolated: boolean,
): Sessions {
  const { prompt, timeout_seconds: seconds, allowed_tools: allowTools } = each.execution;
  const judged = judge.flatMap((turn) => Array.from({ length: votes }, () => turn));
  const judges = { name: "judge", match: { system: "evaluation judge", no_tools: ["*"] }, turns: judged };
  return {
    work: {
      agent: "claude-eval",
      ...(program === undefined ? {} : { program }),
      prompt,
      playbook: { lanes: judge.length === 0 ? lanes : [judges, ...lanes] },
      evaluation: { name: each.name, allowTools, scaffold: hasScript(each) && isolated },
      timeoutMs: seconds * 1000 + runnerMs,
    },
    judges: [],
  };
}
