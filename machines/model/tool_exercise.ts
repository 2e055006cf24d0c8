/**
 * `exercised`: at least one call that the tool's schema allows was accepted, and its test passed. `failing`: tests of it
 * fail, and none shows that it works. `refused`: it answered each such call with an error. `excluded`: no generated test
 * may call it. `not_reached`: no test of it came to a verdict.
 */
export type ExerciseState = "exercised" | "failing" | "refused" | "excluded" | "not_reached";

export const unmetNeeds = [
  "network",
  "credential",
  "browser",
  "database",
  "program",
  "task support",
  "value",
  "fixture",
] as const;

/** Kind of thing that a tool lacks, read from the words of its refusal. */
export type UnmetNeed = (typeof unmetNeeds)[number];

/** Account of one tool: whether tests exercised it, and why not. */
export interface ToolExercise {
  tool: string;
  state: ExerciseState;
  /** Kind of thing that it lacks; only where it refused. */
  needs?: UnmetNeed;
  /** One line: its own words, or why no test came to it; absent where it was exercised. */
  reason?: string;
}
