/** Turns under `judge` of a case's playbook: one for each grader that a model judges, in their order. */
import type { Playbook } from "../../../machines/model/playbook.ts";
import { count } from "../../core/text.ts";

/** @param graders Those that a model judges. */
export function judgeProblems(graders: readonly { name: string }[], { judge = [] }: Playbook): string[] {
  if (graders.length === judge.length) return [];
  const needed = graders.length === 0
    ? "none"
    : `one for each of its graders that a model judges (${graders.map(({ name }) => name).join(", ")})`;
  return [`its playbook has ${count(judge.length, "turn")} under \`judge\`, and needs ${needed}`];
}
