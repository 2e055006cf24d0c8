/** Work under way that must end before anything is torn down. */
import { raceAbort } from "../../core/waiting.ts";

/** Longest wait for work that was asked to stop, in ms; then its environment is torn down all the same. */
const settleLimitMs = 30_000;

export class TaskTracker {
  /** Fires when the session ends: for work beside its machine, which the machine does not stop. */
  readonly closing = new AbortController();
  /** Fires when the session ends and its environment goes with it: how servers end is then judged no more. */
  readonly leaving = new AbortController();
  readonly #underway = new Set<Promise<unknown>>();

  track<T>(work: Promise<T>): Promise<T> {
    this.#underway.add(work);
    const forget = () => this.#underway.delete(work);
    work.then(forget, forget);
    return work;
  }

  /**
   * Waits until all tracked work has ended, well or badly, and no longer than `limitMs`.
   * @returns false where some of it goes on
   */
  async settled(limitMs = settleLimitMs): Promise<boolean> {
    if (this.#underway.size === 0) return true;
    const ended = Promise.allSettled([...this.#underway]).then(() => true);
    return await raceAbort(ended, AbortSignal.timeout(limitMs)) === true;
  }
}
