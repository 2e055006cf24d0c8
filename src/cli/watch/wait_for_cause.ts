/** Waits until there is something to do: files that changed and have settled, or a key. */
import { differences, type DirectorySnapshot } from "./directory_snapshot.ts";

export type Cause =
  | { kind: "changed"; paths: string[]; photo: DirectorySnapshot }
  | { kind: "key"; key: WatchKey }
  | { kind: "interrupted" };

export const watchKeys = ["a", "f", "q"] as const;
export type WatchKey = typeof watchKeys[number];

export interface WatchedFolders {
  /** What the copy was made from. */
  before: DirectorySnapshot;
  look(): Promise<DirectorySnapshot>;
  /** Takes a key that was pressed, if one was. */
  key(): WatchKey | undefined;
  signal: AbortSignal;
}

/** How often is looked; a folder that takes long to look at is looked at less often. */
const pauseMs = 300;
const share = 10;

/** Editors and generators write in pieces: what changed counts once two looks agree. */
export async function waitForCause({ before, look, key, signal }: WatchedFolders): Promise<Cause> {
  let last = before;
  while (!signal.aborted) {
    const pressed = key();
    if (pressed !== undefined) return { kind: "key", key: pressed };
    const started = performance.now();
    const now = await look();
    const paths = differences(before, now);
    if (paths.length > 0 && differences(last, now).length === 0) {
      return { kind: "changed", paths, photo: now };
    }
    last = now;
    await pause(Math.max(pauseMs, share * (performance.now() - started)), signal);
  }
  return { kind: "interrupted" };
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener("abort", done, { once: true });
  });
}
