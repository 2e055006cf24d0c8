/** Brings single files of the author's folder into the session's copy; the author's folder is only read. */
import { PthError } from "../core/errors.ts";
import { type ConfinedFolder, openConfined } from "../platform/confined/open_confined.ts";

/**
 * Copies files as they are now, and removes those that are gone. Links stay links.
 * @param paths relative to both folders, with "/"
 * @throws {PthError} `INVALID_INPUT` for a path out of the folder, also by way of a link; nothing is taken then
 */
export async function takeFiles(from: string, to: string, paths: readonly string[]): Promise<void> {
  const [source, target] = [openConfined(from), openConfined(to)];
  for (const path of paths) await named(path, () => target.stat(path));
  for (const path of paths) await named(path, () => takeOne(source, target, path));
}

async function takeOne(source: ConfinedFolder, target: ConfinedFolder, path: string): Promise<void> {
  const kind = (await source.stat(path))?.kind;
  if (kind !== "file" || (await target.stat(path))?.kind === "folder") await target.remove(path);
  if (kind === "file") await target.copyFrom(source, path, path, { replace: true });
  const linked = kind === "link" ? await source.readLink(path) : undefined;
  if (linked !== undefined) await target.symlink(path, linked);
}

async function named(path: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof PthError) || error.code !== "PATH_REFUSED") throw error;
    throw new PthError("INVALID_INPUT", `Cannot take ${path}: ${error.context["reason"]}`, {
      next: ["See what became of the session's folder, or start a new session"],
    }, { cause: error });
  }
}
