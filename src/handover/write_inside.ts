/** Files for the plugin's author, never outside the folder that they are meant for. */
import { dirname, join, relative } from "node:path";
import { PthError } from "../errors.ts";
import { exists, lstat, readTextIfExists, realPath, writeTextAtomically } from "../platform/files.ts";

/** A file to be written: a path with "/" within the folder, and its whole text. */
export interface HandoverFile {
  path: string;
  text: string;
}

/**
 * Writes the files; those that stand there already with the same text stay untouched.
 * @returns the paths that were written
 * @throws {PthError} `INVALID_INPUT` where a link within the folder leads out of it; nothing is written then
 */
export async function writeInside(folder: string, files: readonly HandoverFile[]): Promise<string[]> {
  for (const { path } of files) await requireInside(folder, path);
  const written: string[] = [];
  for (const { path, text } of files) {
    const file = join(folder, path);
    if (await readTextIfExists(file) === text) continue;
    await writeTextAtomically(file, text);
    written.push(path);
  }
  return written;
}

/**
 * What runs in the environment can put links into the folder that it shares.
 * @throws {PthError} `INVALID_INPUT` where a link on the way to the path leads out of the folder
 */
export async function requireInside(folder: string, path: string): Promise<void> {
  let parent = dirname(join(folder, path));
  while (parent.length > folder.length && !await exists(parent)) parent = dirname(parent);
  const [top, place] = await Promise.all([realPath(folder), realPath(parent)]);
  const isLink = await exists(join(folder, path)) && (await lstat(join(folder, path))).isSymlink;
  if (!relative(top, place).startsWith("..") && !isLink) return;
  throw new PthError("INVALID_INPUT", `Cannot write ${path}: a link there leads elsewhere`, {
    next: ["Remove the link from the plugin's folder"],
  });
}
