/** Brings single files of the author's folder into the session's copy; the author's folder is only read. */
import { dirname, isAbsolute, join, relative } from "node:path";
import { PthError } from "../errors.ts";
import { exists, realPath, removeIfExists } from "../platform/files.ts";
import { copyOne } from "./copy_tree.ts";

/**
 * Copies files as they are now, and removes those that are gone.
 * @param paths relative to both folders, with "/"
 * @throws {PthError} `INVALID_INPUT` for a path out of the folder, also by way of a link that the environment put there
 */
export async function takeFiles(from: string, to: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) await requireInside(to, path);
  for (const path of paths) {
    if (!await copyOne(join(from, path), join(to, path))) await removeIfExists(join(to, path));
  }
}

async function requireInside(folder: string, path: string): Promise<void> {
  let parent = dirname(join(folder, path));
  while (parent.length > folder.length && !await exists(parent)) parent = dirname(parent);
  const way = relative(await realPath(folder), await realPath(parent));
  const stays = !isAbsolute(path) && !path.split("/").includes("..") && !way.startsWith("..");
  if (stays) return;
  throw new PthError(
    "INVALID_INPUT",
    `Cannot take ${path}: in the session's copy it leads out of the plugin's folder`,
    {
      next: ["See what the plugin made of its folder, or start a new session"],
    },
  );
}
