/** What files are like at a moment, so that changes show. Looking writes nothing. */
import { join } from "node:path";
import { listSourceFiles, stampOf } from "../../session/list_source_files.ts";
import { testFiles } from "../../testing/format/load.ts";

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
