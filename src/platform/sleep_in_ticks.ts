/**
 * Waiting by turns of the event loop. One long timer is over at once where PTH itself was held up, by a busy machine or its
 * own work, before anything that came meanwhile was read.
 */
import { setTimeout as later } from "node:timers/promises";

/** Length of a turn, in ms. */
const turnMs = 20;

/** Resolves after so many ms. */
export async function sleepInTicks(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= turnMs) await later(turnMs);
}

/**
 * Resolves once nothing was heard for so many ms, or it is over.
 * @param heard How much was heard so far.
 */
export async function waitForIdle(ms: number, heard: () => number, over: Promise<unknown>): Promise<void> {
  let isOver = false;
  const ended = over.then(() => void (isOver = true));
  for (let left = ms, known = heard(); left > 0 && !isOver; left -= turnMs) {
    await Promise.race([ended, later(turnMs)]);
    if (heard() === known) continue;
    known = heard();
    left = ms + turnMs;
  }
}
