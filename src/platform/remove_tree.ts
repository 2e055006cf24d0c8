/** Removes a folder as far as it can be removed, and says what stays. */
import { join } from "node:path";
import { errorMessage } from "../core/errors.ts";
import { lstat, readDir, remove, removeIfExists } from "./files.ts";

/** @returns one line per file or folder that could not be removed (at most ten), and how to remove it */
export async function removeTree(path: string): Promise<string[]> {
  try {
    await removeIfExists(path);
    return [];
  } catch {
    // Some file of another user: all others go one by one.
    const stuck = await removeOneByOne(path);
    if (stuck.length === 0) return [];
    const more = stuck.length > 10 ? [`… and ${stuck.length - 10} more in ${path}`] : [];
    return [...stuck.slice(0, 10), ...more, `To remove what another user owns: sudo rm -rf "${path}"`];
  }
}

async function removeOneByOne(path: string): Promise<string[]> {
  const stuck: string[] = [];
  try {
    if ((await lstat(path)).isDirectory) {
      for await (const { name } of readDir(path)) stuck.push(...await removeOneByOne(join(path, name)));
    }
    if (stuck.length === 0) await remove(path);
  } catch (error) {
    stuck.push(`${path}: ${errorMessage(error)}`);
  }
  return stuck;
}
