/** The end of a step that is not wanted any more: what it asks for is waited for where it is done. */
import { PthError } from "../errors.ts";

/** The work's answer. @throws {PthError} `INTERRUPTED` as soon as the signal fires: "Cannot finish <what>: it was cancelled" */
export function unlessAborted<T>(signal: AbortSignal, what: string, work: Promise<T>): Promise<T> {
  return Promise.race([
    work,
    new Promise<never>((_, reject) => {
      const stop = () => reject(new PthError("INTERRUPTED", `Cannot finish ${what}: it was cancelled`));
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
    }),
  ]);
}
