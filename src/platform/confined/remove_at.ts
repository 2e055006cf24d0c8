/** Removes what lies at a place, however deep it is; links are removed, never followed. */
import {
  closeSync,
  constants,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
} from "node:fs";
import { join } from "node:path";
import { infoOf } from "./info.ts";
import { errnoOf, hasProcFd } from "./walk.ts";

/** Folders that are open at once. What lies deeper is moved up first. */
const deepest = 64;

/** One that is not there is no error. */
export function removeAt(at: string, name: string): void {
  const path = join(at, name);
  const kind = infoOf(path)?.kind;
  if (kind === undefined) return;
  if (kind !== "folder") return unless("ENOENT", () => unlinkSync(path));
  if (!hasProcFd) return rmSync(path, { recursive: true, force: true });
  const moved: string[] = [name];
  for (let folder = moved.pop(); folder !== undefined; folder = moved.pop()) {
    removeFolder(at, folder, 1, (deep, deepName) => {
      const up = `.pth-${crypto.randomUUID()}.gone`;
      renameSync(join(deep, deepName), join(at, up));
      moved.push(up);
    });
  }
}

function removeFolder(
  at: string,
  name: string,
  depth: number,
  moveUp: (at: string, name: string) => void,
): void {
  const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
  const descriptor = openSync(join(at, name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  const here = `/proc/self/fd/${descriptor}`;
  try {
    for (const entry of readdirSync(here, { withFileTypes: true })) {
      if (!entry.isDirectory()) unless("ENOENT", () => unlinkSync(join(here, entry.name)));
      else if (depth >= deepest) moveUp(here, entry.name);
      else removeFolder(here, entry.name, depth + 1, moveUp);
    }
  } finally {
    closeSync(descriptor);
  }
  rmdirSync(join(at, name));
}

/** Removes a folder that holds nothing; false where it holds something, or is none. */
export function removeEmptyAt(path: string): boolean {
  try {
    rmdirSync(path);
    return true;
  } catch (error) {
    if (["ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR"].includes(errnoOf(error) ?? "")) return false;
    throw error;
  }
}

function unless(code: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    // It went away meanwhile.
    if (errnoOf(error) !== code) throw error;
  }
}
