/** Opens a resource once for all its users, and closes it some time after the last one has released it. */
import { log } from "../../platform/log.ts";

export interface AsyncClosable {
  close(): Promise<void>;
}

export interface RefCounted<Thing> {
  open: Thing;
  /** Once is enough; more often does nothing. */
  release: () => void;
}

export interface RefCountedPool<Thing extends AsyncClosable> {
  /** Opens the resource unless it is open. After a failure the next call tries again. */
  hold(id: string, open: () => Promise<Thing>): Promise<RefCounted<Thing>>;
  /** Closes what has no users any more, except the ids for which `stays` is true. */
  sweep(stays: (id: string) => boolean): void;
  /** Ids of everything that is open. */
  ids(): string[];
  /** Closes all of it. */
  close(): Promise<void>;
}

interface Entry<Thing> {
  opened: Promise<Thing>;
  users: number;
  /** `Date.now()` when it was last let go. */
  usedAt: number;
}

/** @param lingerMs milliseconds for which an unused resource stays open */
export function createRefCountedPool<Thing extends AsyncClosable>(lingerMs: number): RefCountedPool<Thing> {
  const entries = new Map<string, Entry<Thing>>();

  function entryOf(id: string, open: () => Promise<Thing>): Entry<Thing> {
    const known = entries.get(id);
    if (known !== undefined) return known;
    const entry: Entry<Thing> = { opened: open(), users: 0, usedAt: Date.now() };
    entries.set(id, entry);
    entry.opened.catch(() => entries.delete(id));
    return entry;
  }
  const remove = async (id: string, { opened }: Entry<Thing>): Promise<void> => {
    entries.delete(id);
    const thing = await opened.catch(() => undefined); // the caller of `hold` got the error
    await thing?.close().catch((error) => log.warn("Cannot close an unused source", { id, error }));
  };

  return {
    async hold(id, open) {
      const entry = entryOf(id, open);
      entry.users++;
      let held = true;
      const release = () => {
        if (held) entry.users--;
        held = false;
        entry.usedAt = Date.now();
      };
      try {
        return { open: await entry.opened, release };
      } catch (error) {
        release();
        throw error;
      }
    },
    sweep(stays) {
      for (const [id, entry] of entries) {
        const isLeft = entry.users === 0 && Date.now() - entry.usedAt > lingerMs;
        if (isLeft && !stays(id)) void remove(id, entry);
      }
    },
    ids: () => [...entries.keys()],
    close: async () => void await Promise.all([...entries].map(([id, entry]) => remove(id, entry))),
  };
}
