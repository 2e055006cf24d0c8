/** Where a jump to trouble leads. */
import type { ErrorMark } from "../../timeline/timeline.ts";

/** `trouble`: oldest first. After the last comes the first again. */
export const nearestError = (
  trouble: readonly ErrorMark[],
  position: number,
  by: 1 | -1,
): ErrorMark | undefined =>
  by > 0
    ? trouble.find((entry) => entry.position > position) ?? trouble[0]
    : trouble.findLast((entry) => entry.position < position) ?? trouble.at(-1);
