import type { GrowingRecording } from "./growing_recording.ts";
import type { Growth } from "./timeline.ts";
import { isShownByDefault } from "./line_filter.ts";
import type { RecordingIndex } from "./recording_index.ts";

/** @returns how to stop */
export function followRecording(
  recording: GrowingRecording,
  listener: (growth: Growth) => void,
  everyMs: number,
): () => void {
  const { index } = recording;
  let told = index.length;
  let tellsGrowing = recording.growing;
  let lastCall = -Infinity;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const call = (): void => {
    timer = undefined;
    if (recording.closed) return;
    lastCall = performance.now();
    const from = told;
    const { length } = index;
    told = length;
    tellsGrowing = recording.growing;
    listener({
      length,
      duration: length === 0 ? 0 : index.at(length - 1),
      growing: tellsGrowing,
      ...growthSince(index, from),
    });
  };
  const stopListening = recording.onGrowth(() => {
    if (timer !== undefined || (told === index.length && tellsGrowing === recording.growing)) return;
    const wait = lastCall + everyMs - performance.now();
    if (wait <= 0) call();
    else timer = setTimeout(call, wait);
  });
  return () => {
    clearTimeout(timer);
    stopListening();
  };
}

/** Transitions of one actor per call; of more, the last are kept. */
const mostTaken = 5000;

type Moved = Growth["moved"][number];

/** Summarizes the lines from `from` on. */
function growthSince(
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
