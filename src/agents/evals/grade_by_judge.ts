/** Graders of kind `llm`: what the model is asked, in Claude Code's own words, and what its answer means. */
import type { AgentSessionResult } from "../../../machines/model/agent_session.ts";
import { oneLine } from "../../core/text.ts";
import { lastWords } from "../../testing/judge/judge_prompt_test.ts";
import type { GraderResult } from "../../../machines/model/eval_result.ts";
import { type LlmGrader, targetText } from "./grade_case.ts";

/** Characters that the judge is shown, of the begin and of the end. */
const longestBegin = 80_000;
const longestEnd = 20_000;

export function graderPrompt({ criteria, focus }: LlmGrader, session: AgentSessionResult): string {
  const text = targetText(focus, session);
  const shown = focus === "files" && text === "" ? "(no file changes)" : text;
  return [
    `You are grading the output of a coding agent against a criterion.\n\nCriterion:\n${criteria}`,
    `\nAgent output (${typeof focus === "string" ? focus : focus.path}):\n${elided(shown)}`,
    "\nRespond with exactly one word: PASS or FAIL.",
  ].join("\n");
}

const elided = (text: string): string =>
  text.length <= longestBegin + longestEnd
    ? text
    : `${text.slice(0, longestBegin)}\n[…${text.length - longestBegin - longestEnd} chars elided…]\n${
      text.slice(-longestEnd)
    }`;

/** An answer that says both words, or none, passes nothing. */
export function gradeByJudge(
  { name, type, weight }: LlmGrader,
  judgement: AgentSessionResult,
): GraderResult {
  const said = lastWords(judgement);
  const problems = judgement.failures.map((failure) => `the judge: ${failure}`);
  const passed = problems.length === 0 && /\bPASS\b/i.test(said) && !/\bFAIL\b/i.test(said);
  const words = said.trim() === "" ? "nothing" : oneLine(said, 300);
  return { name, type, weight, passed, explanation: [...problems, `the judge says ${words}`].join("; ") };
}
