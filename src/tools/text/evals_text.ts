/** Results of evals for a model: the count first, then what did not pass, and why. */
import type { EvalCaseResult, EvalReport } from "../../../machines/model/eval_result.ts";
import { count, oneLine } from "../../core/text.ts";
import { joinLines, limitedList } from "./join_lines.ts";

/** Lines, and characters of a reason, that are shown unless all is asked for. */
const mostLines = 60;
const longest = 300;

export function evalsText({ by, agent, version, cases, warnings }: EvalReport, detail = false): string {
  const passed = cases.filter(({ status }) => status === "passed").length;
  const name = version === undefined ? agent : `${agent} ${version}`;
  const judge = by === "agent" ? ", by its own runner of evals" : "";
  const told = detail ? cases : cases.filter(({ status }) => status !== "passed");
  return joinLines(
    `${passed} of ${count(cases.length, "case")} passed (${name}${judge})`,
    ...limitedList(told.flatMap((each) => caseLines(each, detail)), detail ? Infinity : mostLines),
    ...warnings.map((warning) => `Warning: ${warning}`),
  );
}

function caseLines(result: EvalCaseResult, detail: boolean): string[] {
  const { name, status, passes, runs, problems, graders, warnings } = result;
  const often = runs.length === 1 ? "" : `, ${passes} of ${count(runs.length, "run")} passed`;
  const words = (text: string) => detail ? text : oneLine(text, longest);
  return [
    `- ${name} ${status === "refused" ? "was not run" : status}${often}`,
    ...problems.map((problem) => `  ${words(problem)}`),
    ...graders.filter(({ passed }) => detail || !passed).map(({ name, type, passed, explanation }) =>
      `  ${passed ? "passed" : "failed"}: ${name} (${type}): ${words(explanation)}`
    ),
    ...(detail ? warnings.map((warning) => `  Warning: ${warning}`) : []),
  ];
}
