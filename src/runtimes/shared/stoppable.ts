/**
 * Waits for work that takes no signal: when it fires, `stop` takes away what the work stands on, which then fails by itself.
 * @throws the signal's reason, where it has fired; what the work fails with
 */
export async function stoppable<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  stop: () => void,
): Promise<T> {
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    return await work;
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}
