/** What is known of the places where a worktree could not be made. */
import { dirname } from "node:path";
import { lstat } from "../platform/files.ts";
import { uid } from "../platform/host.ts";
import { freeSpaceMiB } from "../platform/append_durably.ts";
import { git } from "../git/git.ts";

/** Git's list of the repository's worktrees, or its words why it has none. */
export async function worktreeList(folder: string): Promise<string> {
  const { stdout, stderr } = await git(folder, ["worktree", "list"]);
  return (stdout || stderr).trim();
}

/** The path, or what is there of the way to it: kind, permissions, owner, free space. */
export async function pathState(path: string): Promise<string> {
  for (let there = path;; there = dirname(there)) {
    try {
      const { isDirectory, mode, uid: owner } = await lstat(there);
      const kind = isDirectory ? "a folder" : "not a folder";
      const bits = mode === null ? "" : ` with mode ${(mode & 0o7777).toString(8)}`;
      const whose = owner === uid() ? "its owner is this user" : `its owner is user ${owner}`;
      const free = `${await freeSpaceMiB(there)} MiB free`;
      const missing = there === path ? "" : `${path} is not there; `;
      return `${missing}${there} is ${kind}${bits}, ${whose}, ${free}`;
    } catch (error) {
      if (there === dirname(there)) throw error;
    }
  }
}
