/** Two pieces of growth as one, for a page that reads more slowly than they come. */
import type { Growth } from "../timeline/timeline.ts";

/** Of one actor; more light nothing up that could be told apart. */
const mostTaken = 50;

export function mergeGrowth(first: Growth, second: Growth): Growth {
  const moved = new Map(first.moved.map((one) => [one.actor, one]));
  for (const one of second.moved) {
    const taken = [...moved.get(one.actor)?.taken ?? [], ...one.taken].slice(-mostTaken);
    moved.set(one.actor, { ...one, taken });
  }
  return {
    ...second,
    events: first.events + second.events,
    moved: [...moved.values()],
  };
}
