/** Tools for which a search of inputs is worth its calls. */
import type { ToolExercise, UnmetNeed } from "../../../machines/model/tool_exercise.ts";
import { hasWord } from "./named_places.ts";

/** Needs that no input meets. */
const beyondInputs: ReadonlySet<UnmetNeed> = new Set([
  "network",
  "credential",
  "browser",
  "program",
  "task support",
]);

/**
 * Tools that refused, unless for want of something outside; where a refusal names another tool, that may give it, and those
 * that want the network for a page may take one that PTH serves.
 * @param takesPage whether a tool's inputs have the address of a page
 */
export function learnableTools(
  exercise: readonly ToolExercise[],
  takesPage: (tool: string) => boolean = () => false,
): string[] {
  const names = exercise.map(({ tool }) => tool);
  return exercise.filter(({ tool, state, needs, reason = "" }) =>
    state === "refused" &&
    (needs === undefined || !beyondInputs.has(needs) || needs === "network" && takesPage(tool) ||
      names.some((name) => name !== tool && name.length > 3 && hasWord(reason, name)))
  ).map(({ tool }) => tool);
}
