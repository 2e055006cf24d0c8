/** Which paths an edit may name: files of the plugin's folder, and nothing of git's or PTH's. */
import { posix } from "node:path";
import type { ConfinedFolder } from "../platform/confined/open_confined.ts";
import { lockFile } from "../registry/lock.ts";
import { stateFile } from "../git/session_commits.ts";

/** Why an edit does not apply; becomes one line of the error. */
export class RefusedEdit extends Error {
  override readonly name = "Refusal";
}

/**
 * The path, tidied ("./a" is "a").
 * @throws {Refusal} for a path that leaves the plugin's folder or names what no fix may touch
 */
export function checkPath(path: string): string {
  if (path.includes("\0")) throw new RefusedEdit("the path holds a NUL character");
  if (posix.isAbsolute(path)) {
    throw new RefusedEdit("the path is absolute; give it relative to the plugin's folder");
  }
  if (path.endsWith("/")) throw new RefusedEdit("the path names a folder; name its files");
  const tidy = posix.normalize(path);
  if (path.trim() === "" || tidy === ".") throw new RefusedEdit("the path names no file");
  if (tidy === ".." || tidy.startsWith("../")) {
    throw new RefusedEdit("the path leads out of the plugin's folder");
  }
  if (tidy.split("/").some((part) => /^\.git$/i.test(part))) throw new RefusedEdit("the path lies in .git");
  if (tidy.toLowerCase().startsWith(lockFile)) {
    throw new RefusedEdit("the path is the lock of the session");
  }
  if (tidy.toLowerCase() === stateFile) throw new RefusedEdit("the path is PTH's own state of the session");
  return tidy;
}

/** Says before anything is written what is in the way to a path. @throws {Refusal} */
export async function checkFolders(folder: ConfinedFolder, path: string): Promise<void> {
  const parts = path.split("/").slice(0, -1);
  for (let length = 1; length <= parts.length; length++) {
    const parent = parts.slice(0, length).join("/");
    const kind = (await folder.stat(parent))?.kind;
    if (kind === undefined) return;
    if (kind === "link") {
      const target = await folder.readLink(parent);
      throw new RefusedEdit(`${parent} is a symbolic link to ${target}; name the file by its real path`);
    }
    if (kind !== "folder") throw new RefusedEdit(`${parent} is a file, no folder`);
  }
}
