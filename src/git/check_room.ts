/** Git does not say why it cannot write a file, and takes back what it wrote: whether there was room is found out here. */
import { dirname } from "node:path";
import { PthError } from "../core/errors.ts";
import { freeSpaceMiB } from "../platform/append_durably.ts";
import { gitOutput } from "./git.ts";

const unwritten = /unable to (?:write|create) file|cannot create directory/i;

/** @throws {PthError} `DISK_FULL` where git could not write, and the commit's files do not fit into what is free */
export async function checkRoom(
  { top, head }: { top: string; head: string },
  worktree: string,
  output: string,
): Promise<void> {
  if (!unwritten.test(output)) return;
  const needed = await sizeOf(top, head);
  const free = await freeSpaceMiB(dirname(worktree));
  if (needed < free) return;
  throw new PthError(
    "DISK_FULL",
    `Cannot make worktree ${worktree}: its files take ${needed} MiB, and ${free} MiB are free`,
    { output, next: ["Free space, or set PTH_WORKTREE_DIR to a folder on another disk"] },
  );
}

/** Of all files of a commit, in MiB. */
async function sizeOf(top: string, head: string): Promise<number> {
  const list = await gitOutput(top, ["ls-tree", "-r", "-l", head]);
  const bytes = list.split("\n").map((line) => Number(line.split(/\s+/)[3]) || 0);
  return Math.ceil(bytes.reduce((sum, size) => sum + size, 0) / 1024 / 1024);
}
