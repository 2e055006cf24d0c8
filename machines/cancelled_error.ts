/** Makes the error of cancelled work; named as the platform names it, so that it is known as no fault. */
export const cancelledError = (work: string): Error =>
  Object.assign(new Error(`Cannot finish ${work}: it was cancelled`), { name: "AbortError" });
