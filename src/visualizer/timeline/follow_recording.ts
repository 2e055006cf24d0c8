/** Tells who follows a recording what came, no oftener than asked for, and without leaving anything out. */
import { growthSince } from "./growth.ts";
import type { GrowingRecording } from "./growing_recording.ts";
import type { Growth } from "./timeline.ts";

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
