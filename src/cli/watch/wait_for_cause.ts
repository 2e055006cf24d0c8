/** Waits until there is something to do: files that changed and have settled, or a key. */
import { join } from "node:path";
import { listSourceFiles, stampOf } from "../../session/list_source_files.ts";
import { testFiles } from "../../testing/format/load.ts";

export type Cause =
  | { kind: "changed"; paths: string[]; photo: DirectorySnapshot }
  | { kind: "key"; key: WatchKey }
  | { kind: "interrupted" };

export const watchKeys = ["a", "f", "q"] as const;
export type WatchKey = typeof watchKeys[number];

interface WatchedFolders {
  /** State of the folder when the session's copy was made. */
  before: DirectorySnapshot;
  look(): Promise<DirectorySnapshot>;
  /** Takes a key that was pressed, if one was. */
  key(): WatchKey | undefined;
  signal: AbortSignal;
}

/** Polling interval; a folder that is slow to read is polled less often. */
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

/** Size and time of the last change, by path: relative for the plugin's own, absolute for other tests. */
export type DirectorySnapshot = ReadonlyMap<string, string>;

/** @param tests file or folder of tests that stand for the plugin's own, absolute */
export async function snapshotDirectory(folder: string, tests?: string): Promise<DirectorySnapshot> {
  const photo = new Map<string, string>();
  const look = async (path: string, place: string) => {
    const stamp = await stampOf(place);
    if (stamp !== undefined) photo.set(path, stamp.text);
  };
  for (const path of await listSourceFiles(folder, "its own")) await look(path, join(folder, path));
  for (const path of tests === undefined ? [] : await testFiles(tests)) await look(path, path);
  return photo;
}

/** Paths that came, went or changed, sorted. */
export function differences(before: DirectorySnapshot, after: DirectorySnapshot): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort();
}
