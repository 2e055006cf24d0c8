/** Long work in small pieces: between two of them timers, signals and other requests have their turn. */

/** Longest time, in milliseconds, for which pieces follow one another without a pause. */
const longestMs = 50;

/** To be awaited before each piece; pauses only where the last pause is long ago. */
export function createBreather(): () => Promise<void> {
  let last = performance.now();
  return async () => {
    const since = performance.now() - last;
    if (since < longestMs) return;
    // What waited for long has several turns to take: a signal, what it stops, and who is told.
    await new Promise<void>((resolve) => setTimeout(resolve, Math.min(longestMs, since / 20)));
    last = performance.now();
  };
}
