/** Where a jump to trouble leads. */
import type { Trouble } from "../../timeline/timeline.ts";

/** `trouble`: oldest first. After the last comes the first again. */
export const nearestTrouble = (
  trouble: readonly Trouble[],
  position: number,
  by: 1 | -1,
): Trouble | undefined =>
  by > 0
    ? trouble.find((entry) => entry.position > position) ?? trouble[0]
    : trouble.findLast((entry) => entry.position < position) ?? trouble.at(-1);
