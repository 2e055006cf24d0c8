/** One path that a fixer changed, as it was before and as it is after. */
import { PthError } from "../core/errors.ts";
import { absentFile, type FileState, readFileState } from "../git/file_state.ts";
import type { ConfinedFolder } from "../platform/confined/open_confined.ts";

export interface FixerChange {
  /** The path as git names it. */
  path: string;
  before: FileState;
  after: FileState;
}

/**
 * Reads the state of a path that git names. Over a link there is nothing: the link itself is a change of its own.
 * @throws {PthError} `FIXER_FAILED` for a file that is too large for a fix
 */
export async function fixerFileState(files: ConfinedFolder, path: string): Promise<FileState> {
  try {
    return await readFileState(files, path.replace(/\/$/, ""));
  } catch (error) {
    if (!(error instanceof PthError) || error.code !== "PATH_REFUSED") throw error;
    if (error.context["largest"] === undefined) return absentFile;
    throw new PthError("FIXER_FAILED", `Cannot take the fixer's change: ${error.context["reason"]}`, {
      next: ["Let the fixer write what it makes where .gitignore says"],
    });
  }
}

/** Tells whether a file can be executed: the one permission that git keeps. */
export function isChanged({ before, after }: FixerChange): boolean {
  if (before.kind === "file" && after.kind === "file") {
    return isExecutable(before) !== isExecutable(after) || !sameBytes(before.bytes, after.bytes);
  }
  return before.kind !== after.kind ||
    (before.kind === "link" && after.kind === "link" && before.target !== after.target);
}

export const isExecutable = (state: FileState): boolean =>
  state.kind === "file" && (state.mode & 0o111) !== 0;

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index]);
