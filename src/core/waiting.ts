/** Waiting for promises: with a deadline, until an abort, or in pauses of long work. */

/** Waits so many milliseconds. Use `node:timers/promises` where the wait must be aborted. */
export const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Milliseconds left for the event loop after a stall, in which a promise that was fulfilled during it is still in time. */
const graceMs = 20;

/** True when the promise is fulfilled within `ms`, false when not; rejects when the promise rejects in time. */
export async function withDeadline(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((resolve) => {
    const waitForGrace = () => timer = setTimeout(() => resolve(false), graceMs);
    timer = setTimeout(waitForGrace, ms);
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Result of {@link raceAbort} when the signal came first. */
export const abortSentinel = Symbol("aborted");

/** Waits for the work or for the signal; aborted work continues, and its result or error is dropped. */
export async function raceAbort<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T | typeof abortSentinel> {
  if (signal === undefined) return await work;
  let abort = () => {};
  const abortion = new Promise<typeof abortSentinel>((resolve) => abort = () => resolve(abortSentinel));
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  return await Promise.race([work, abortion]).finally(() => signal.removeEventListener("abort", abort));
}

/** Longest time in milliseconds that long work runs without a pause. */
const longestRunMs = 50;

/**
 * Returns a function that long work awaits between its pieces: it pauses if the last pause is long ago, so that
 * timers, signals and other requests get a turn.
 */
export function createBreather(): () => Promise<void> {
  let last = performance.now();
  return async () => {
    const since = performance.now() - last;
    if (since < longestRunMs) return;
    // After a long wait a signal needs several turns: the signal itself, what it stops, and its listeners.
    await delay(Math.min(longestRunMs, since / 20));
    last = performance.now();
  };
}
