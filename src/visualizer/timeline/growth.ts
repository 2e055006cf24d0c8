/** What came to a recording between two looks at it. */
import { isShownByDefault } from "./line_filter.ts";
import type { RecordingIndex } from "./recording_index.ts";
import type { Growth } from "./timeline.ts";

/** Transitions of one actor in one look; of more, the last are told. */
export const mostTaken = 5000;

type Moved = Growth["moved"][number];

/** What the lines from `from` on tell. */
export function growthSince(
  index: RecordingIndex,
  from: number,
): Pick<Growth, "events" | "moved"> {
  const moved = new Map<string, Moved>();
  let events = 0;
  for (let line = from; line < index.length; line++) {
    const kind = index.kind(line);
    if (kind === "event") events += isShownByDefault(index.eventType(line)) ? 1 : 0;
    else if (kind === "snapshot") {
      const { actor } = index.actorOf(line);
      const status = index.status(line);
      const value = index.value(line);
      const taken = moved.get(actor)?.taken ?? [];
      taken.push(...index.taken(line));
      if (taken.length > 2 * mostTaken) taken.splice(0, taken.length - mostTaken);
      moved.set(actor, { actor, ...(value === undefined ? {} : { value }), status, taken });
    }
  }
  for (const { taken } of moved.values()) taken.splice(0, taken.length - mostTaken);
  return { events, moved: [...moved.values()] };
}
