/** Brings planned changes to the disk: all of them, or the files are as before. */
import { errorMessage, PthError } from "../core/errors.ts";
import type { ConfinedFolder } from "../platform/confined/open_confined.ts";
import { isNoSpace } from "../platform/files.ts";
import type { FileEdit } from "./edited_files.ts";
import { writeState } from "../git/file_state.ts";

/** Puts one path into a state; tests let it fail. */
export type Writer = typeof writeState;

/**
 * Writes the changes.
 * @returns how to take them back
 * @throws {PthError} `EDIT_FAILED`, `DISK_FULL`; the files are as before, or it is said which are not
 */
export async function writeChanges(
  folder: ConfinedFolder,
  changes: readonly FileEdit[],
  write: Writer = writeState,
): Promise<() => Promise<void>> {
  const done: FileEdit[] = [];
  const undo = () => restore(folder, done);
  for (const change of changes) {
    try {
      done.push(change);
      await write(folder, change.path, change.after);
      if (change.after.kind === "absent") await folder.removeEmptyParents(change.path);
    } catch (error) {
      await undo();
      throw writeFailed(change.path, error);
    }
  }
  return undo;
}

async function restore(folder: ConfinedFolder, done: readonly FileEdit[]): Promise<void> {
  const stuck: string[] = [];
  for (const { path, before } of done.toReversed()) {
    try {
      await writeState(folder, path, before);
      if (before.kind === "absent") await folder.removeEmptyParents(path);
    } catch (error) {
      stuck.push(`${path}: ${errorMessage(error)}`);
    }
  }
  if (stuck.length === 0) return;
  throw new PthError("EDIT_FAILED", `Cannot take edits back: ${stuck.length} files are not as they were`, {
    output: stuck.join("\n"),
    next: [`Restore them from git: git -C "${folder.root}" checkout HEAD -- <file>`],
  });
}

function writeFailed(path: string, error: unknown): PthError {
  const full = isNoSpace(error);
  return new PthError(
    full ? "DISK_FULL" : "EDIT_FAILED",
    `Cannot apply fix: ${path} cannot be written (${errorMessage(error)}); nothing was changed`,
    {
      next: [full ? "Free space" : "See who owns the file: what the environment made may be another user's"],
    },
    { cause: error },
  );
}
