/** The plugin's files as they will be: edits go here first, so that nothing is written before all of them apply. */
import type { ConfinedFolder } from "../platform/confined/open_confined.ts";
import {
  absentFile,
  type FileState,
  maxFileBytes,
  readFileState,
  sameState,
  writeState,
} from "../git/file_state.ts";
import { posix } from "node:path";
import { lockFile } from "../registry/lock.ts";
import { errorMessage, PthError } from "../core/errors.ts";
import { isNoSpace } from "../platform/files.ts";
import { stateFile } from "../git/session_branch.ts";

/** One path that differs after the edits. */
export interface FileEdit {
  path: string;
  before: FileState;
  after: FileState;
}

export class EditedFiles {
  readonly folder: ConfinedFolder;
  readonly #before = new Map<string, FileState>();
  readonly #now = new Map<string, FileState>();

  constructor(folder: ConfinedFolder) {
    this.folder = folder;
  }

  /** State of a path after the edits so far. @throws {Refusal} for a path that no fix may touch */
  async at(path: string): Promise<{ path: string; state: FileState }> {
    const tidy = checkPath(path);
    const known = this.#now.get(tidy);
    if (known) return { path: tidy, state: known };
    const state = await this.#onDisk(tidy);
    this.#before.set(tidy, state);
    this.#now.set(tidy, state);
    return { path: tidy, state };
  }

  /** The path must have been asked for before. */
  set(path: string, state: FileState): void {
    if (state.kind === "file") {
      for (const [other, { kind }] of this.#now) {
        if (kind === "file" && other.startsWith(`${path}/`)) throw new RefusedEdit(`${path} holds ${other}`);
      }
    }
    this.#now.set(path, state);
  }

  /** Edits that differ from the disk; removals first, since they may make room. */
  changes(): FileEdit[] {
    const all = [...this.#now].map(([path, after]) => ({
      path,
      after,
      before: this.#before.get(path) ?? absentFile,
    }));
    return all
      .filter(({ before, after }) => !sameState(before, after))
      .sort((a, b) => order(a) - order(b) || (a.path < b.path ? -1 : 1));
  }

  async #onDisk(path: string): Promise<FileState> {
    for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1)) {
      const above = this.#now.get(path.slice(0, end))?.kind;
      if (above === "file") throw new RefusedEdit(`${path.slice(0, end)} is a file, no folder`);
      // An edit before this one makes room.
      if (above === "absent" && this.#before.get(path.slice(0, end))?.kind !== "absent") return absentFile;
    }
    await checkFolders(this.folder, path);
    await checkSize(this.folder, path);
    return await readFileState(this.folder, path);
  }
}

const order = ({ after }: FileEdit): number => (after.kind === "absent" ? 0 : 1);

/** @throws {Refusal} before a file is read that would fill the memory */
async function checkSize(folder: ConfinedFolder, path: string): Promise<void> {
  const { kind, size } = await folder.stat(path) ?? { kind: "file", size: 0 };
  if (kind !== "file" || size <= maxFileBytes) return;
  const megabytes = (bytes: number) => `${Math.round(bytes / 1_000_000)} MB`;
  throw new RefusedEdit(`it has ${megabytes(size)} and fixes are of files up to ${megabytes(maxFileBytes)}`);
}

/** Edit that does not apply; its message becomes one line of the error. */
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
async function checkFolders(folder: ConfinedFolder, path: string): Promise<void> {
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

/** Puts one path into a state; tests let it fail. */
type Writer = typeof writeState;

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
  throw new PthError("EDIT_FAILED", `Cannot undo edits: ${stuck.length} files are not as they were`, {
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
