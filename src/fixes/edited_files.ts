/** The plugin's files as they will be: edits go here first, so that nothing is written before all of them apply. */
import type { ConfinedFolder } from "../platform/confined/open_confined.ts";
import { checkFolders, checkPath, RefusedEdit } from "./check_path.ts";
import { absentFile, type FileState, maxFileBytes, readFileState, sameState } from "../git/file_state.ts";

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

  /** What differs from the disk; removals first, since they may make room. */
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
