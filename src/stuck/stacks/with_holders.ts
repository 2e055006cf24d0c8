import type { ThreadStack } from "../../../machines/model/stuck.ts";

/** Names, of each lock that a thread waits for, the other thread that holds it, where that is among them and not known yet. */
export const withHolders = (threads: readonly ThreadStack[]): ThreadStack[] =>
  threads.map((thread) => {
    const { waitsFor } = thread;
    if (waitsFor === undefined || waitsFor.heldBy !== undefined) return thread;
    const holder = threads.find((other) =>
      other !== thread && other.holds?.some(({ lock }) => lock === waitsFor.lock)
    );
    if (holder === undefined) return thread;
    const { name, tid } = holder;
    // Threads may share a name.
    return { ...thread, waitsFor: { ...waitsFor, heldBy: tid === undefined ? name : `${name} (${tid})` } };
  });
