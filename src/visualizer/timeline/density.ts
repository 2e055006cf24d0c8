/** When most happened: events in equal spans of time. */
import { isShownByDefault } from "./line_filter.ts";
import { lineKinds } from "./line_columns.ts";
import type { RecordingIndex } from "./recording_index.ts";

/** How many of the events that are shown without being asked for fell into each span; the last has the end, too. */
export function densityOf(index: RecordingIndex, buckets: number): number[] {
  const counts = new Array<number>(buckets).fill(0);
  const { kinds, times, seconds, length } = index.columns;
  const shown = Uint8Array.from(index.eventTypes, (type) => isShownByDefault(type) ? 1 : 0);
  const duration = length === 0 ? 0 : times[length - 1]!;
  const scale = duration === 0 ? 0 : buckets / duration;
  for (let line = 0; line < length; line++) {
    if (kinds[line] !== lineKinds.event || shown[seconds[line]!] === 0) continue;
    counts[Math.max(0, Math.min(buckets - 1, Math.floor(times[line]! * scale)))]!++;
  }
  return counts;
}
