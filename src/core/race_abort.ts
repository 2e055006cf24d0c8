/** Waits for work, as long as nobody asks to stop. */

/** Instead of what the work would come to. */
export const abortSentinel = Symbol("aborted");

/** What the work comes to, or `aborted` once the signal says so: then it goes on, and nobody hears how it ends. */
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
