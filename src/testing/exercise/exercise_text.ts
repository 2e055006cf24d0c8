/** Words for what the tests exercised, alike in all reporters. */
import type { ToolExercise } from "../../../machines/model/tool_exercise.ts";
import { count, visibleName } from "../../core/text.ts";
import { definedOnly } from "../../core/values.ts";
import { needWords } from "./unmet_need.ts";

/** "9 of 13 tools exercised". */
export function exerciseText(exercise: readonly Pick<ToolExercise, "state">[]): string {
  const exercised = exercise.filter(({ state }) => state === "exercised").length;
  return exercised === exercise.length
    ? `${exercised === 1 ? "the one tool" : `all ${count(exercised, "tool")}`} exercised`
    : `${exercised} of ${count(exercise.length, "tool")} exercised`;
}

/** Tools that no test exercised, those first that a user can do something about. */
export const unexercised = (exercise: readonly ToolExercise[]): ToolExercise[] =>
  exercise.filter(({ state }) => state !== "exercised");

/** Reason why a tool was not exercised, in one line: "refused, needs the network: getaddrinfo ENOTFOUND example.com". */
export function unexercisedReason({ state, needs, reason = "" }: ToolExercise): string {
  const what = {
    exercised: "exercised",
    failing: "its tests fail",
    refused: `refused, needs ${needWords[needs ?? "fixture"]}`,
    excluded: "excluded",
    not_reached: "not reached",
  }[state];
  return reason === "" ? what : `${what}: ${reason}`;
}

/** One line for a model: the figure, and the first tools that were not exercised with the reason in a few words. */
export function exerciseLine(exercise: readonly ToolExercise[], most = 8): string {
  const left = unexercised(exercise);
  const named = left.slice(0, most).map(({ tool, state, needs }) =>
    `${visibleName(tool, 60)} (${unexercisedReason(definedOnly({ tool, state, needs }))})`
  );
  const more = left.length > most ? [`${left.length - most} more`] : [];
  const not = left.length === 0 ? "" : `; not: ${[...named, ...more].join(", ")}`;
  return `${exerciseText(exercise)}${not}.`;
}
