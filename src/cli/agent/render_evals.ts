/** Results of evals for a terminal. */
import type { EvalCaseResult, EvalReport } from "../../../machines/model/eval_result.ts";
import { count, indentLines, visibleText } from "../../core/text.ts";

const marks = { passed: "✔", failed: "✖", refused: "✖" } as const;

export function renderEvals({ by, agent, version, cases, warnings }: EvalReport): string {
  const passed = cases.filter(({ status }) => status === "passed").length;
  const name = version === undefined ? agent : `${agent} ${version}`;
  return [
    by === "agent" ? `${name}, by its own runner of evals` : name,
    ...cases.flatMap(caseLines),
    ...warnings.map((warning) => `Warning: ${warning}`),
    passed === cases.length
      ? `Passed: ${count(passed, "case")}`
      : `Failed: ${cases.length - passed} of ${count(cases.length, "case")}`,
    "",
  ].map(visibleText).join("\n");
}

function caseLines(result: EvalCaseResult): string[] {
  const { name, status, score, graders, problems, warnings, passes, runs } = result;
  const state = status === "refused" ? "  (not run)" : `  score ${Math.round(score * 100) / 100}`;
  const often = runs.length === 1 ? "" : `, passed ${passes} of ${count(runs.length, "run")}`;
  return [
    `${marks[status]} ${name}${state}${often}`,
    ...problems.map((problem) => indentLines(problem, "    ")),
    ...graders.map(({ name, type, passed, explanation }) =>
      indentLines(`${passed ? "✔" : "✖"} ${name} (${type}): ${explanation}`, "    ")
    ),
    ...warnings.map((warning) => indentLines(`Warning: ${warning}`, "    ")),
  ];
}
