/** Verdicts of `claude plugin eval` on one case, which it has to have run once. */
import type { AgentSessionResult } from "../../../machines/model/agent_session.ts";
import type { EvalCase } from "../../../machines/model/eval_case.ts";
import type { EvalRunResult, GraderResult } from "../../../machines/model/eval_result.ts";
import { isObject, jsonIn } from "../../core/values.ts";

/** Characters of an explanation, and number of warnings, that are kept: the plugin may have a hand in both. */
const longestExplanation = 2000;
const mostWarnings = 50;

type Verdicts = Pick<EvalRunResult, "graders" | "problems" | "warnings">;

export function verdictsOfClaude(each: EvalCase, session: AgentSessionResult): Verdicts {
  const { graders, problems, warnings } = resultIn(each, session);
  return {
    graders,
    problems: [...session.failures, ...problems],
    warnings: [...session.trace.warnings, ...warnings],
  };
}

function resultIn(each: EvalCase, { trace }: AgentSessionResult): Verdicts {
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
    const explanation = String(own.explanation ?? "").slice(0, longestExplanation);
    return { name, type, weight, passed: own.passed === true, explanation };
  });
  return {
    graders,
    problems: typeof only.error === "string" ? [only.error] : [],
    warnings: Array.isArray(only.warnings)
      ? only.warnings.slice(0, mostWarnings).map((warning) => String(warning).slice(0, longestExplanation))
      : [],
  };
}
