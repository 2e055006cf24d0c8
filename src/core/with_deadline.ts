/** Waits for what may take too long. */

/** What came while nothing ran here, as on a stalled or suspended machine, is heard of within so long. */
const hearingMs = 20;

/** True when the promise was fulfilled in time; rejects where it does. */
export async function withDeadline(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((resolve) => {
    const listen = () => timer = setTimeout(() => resolve(false), hearingMs);
    timer = setTimeout(listen, ms);
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
