/**
 * What a fixer changed in the session's worktree, found by comparison with a photo taken before; then all of it is taken
 * back, so that the fix goes the one way that fixes go.
 *
 * Counted are tracked files and new files that git does not ignore. Files that were there and that git does not track
 * are the work of builds and of the environment: they neither count nor are they taken back.
 */
import { join } from "node:path";
import { type FileState, readState, removeEmptyParents, writeState } from "../fixes/file_state.ts";
import { leftOut } from "../fixes/make_repository.ts";
import { branchGit, branchOutput, checkOnBranch, type SessionBranch } from "../fixes/session_branch.ts";
import { readFile, removeIfExists, writeFile } from "../platform/files.ts";
import { nulSeparated } from "../session/git.ts";
import { lockFile } from "../session/lock.ts";

export interface WorktreePhoto {
  head: string;
  /** The index, as a file and as the list of what is in it. */
  index: { path: string; bytes: Uint8Array; entries: string };
  /** Tracked files that differed from the branch already. */
  dirty: ReadonlyMap<string, FileState>;
  /** Files and whole folders ("x/") that git does not track. */
  untracked: ReadonlySet<string>;
}

/** One path as git names it, before the fixer and after. */
export interface FixerChange {
  path: string;
  before: FileState;
  after: FileState;
}

export interface TakenBack {
  changes: FixerChange[];
  /** The fixer moved the branch, or checked out something else; the branch is back where it was. */
  committed: boolean;
}

/** @throws {PthError} `GIT_FAILED` */
export async function photograph(branch: SessionBranch): Promise<WorktreePhoto> {
  await checkOnBranch(branch);
  const dirty = new Map<string, FileState>();
  for (const path of await changedPaths(branch)) {
    dirty.set(path, await readState(join(branch.worktree, path)));
  }
  const path = (await branchOutput(branch, ["rev-parse", "--path-format=absolute", "--git-path", "index"]))
    .trim();
  return {
    head: (await branchOutput(branch, ["rev-parse", "HEAD"])).trim(),
    index: { path, bytes: await readFile(path), entries: await indexEntries(branch) },
    dirty,
    untracked: new Set(await untrackedPaths(branch)),
  };
}

/**
 * Makes the worktree and the branch what they were, and says what had changed.
 * @throws {PthError} `GIT_FAILED`
 */
export async function takeBack(branch: SessionBranch, photo: WorktreePhoto): Promise<TakenBack> {
  const committed = await restoreBranch(branch, photo);
  const now = await changedPaths(branch);
  const fresh = await newPaths(branch, photo, now);
  const tracked = [...new Set([...now, ...photo.dirty.keys()])];
  const after = new Map<string, FileState>();
  for (const path of [...tracked, ...fresh]) after.set(path, await readState(join(branch.worktree, path)));
  await remove(branch, fresh);
  await restore(branch, photo, now);
  const changes: FixerChange[] = [];
  for (const [path, state] of after) {
    const before = await readState(join(branch.worktree, path));
    changes.push({ path, before, after: state });
  }
  return { changes: changes.filter(differs), committed };
}

const changedPaths = async (branch: SessionBranch): Promise<string[]> =>
  nulSeparated(
    await branchOutput(branch, [
      "diff",
      "--name-only",
      "--no-renames",
      "--ignore-submodules=all",
      "-z",
      "HEAD",
    ]),
  );

const indexEntries = (branch: SessionBranch): Promise<string> =>
  branchOutput(branch, ["ls-files", "--stage", "-z"]);

async function untrackedPaths(branch: SessionBranch, within: readonly string[] = []): Promise<string[]> {
  const excluded = leftOut.map((pattern) => `--exclude=${pattern}`);
  const whole = within.length === 0 ? ["--directory", "--no-empty-directory"] : [];
  const list = ["ls-files", "--others", "--exclude-standard", ...excluded, ...whole, "-z", "--", ...within];
  const paths = nulSeparated(await branchOutput(branch, list));
  return paths.filter((path) => !path.includes(lockFile));
}

async function newPaths(
  branch: SessionBranch,
  { untracked }: WorktreePhoto,
  changed: readonly string[],
): Promise<string[]> {
  const fresh = (await untrackedPaths(branch)).filter((path) => !untracked.has(path));
  const folders = fresh.filter((path) => path.endsWith("/"));
  const files = fresh.filter((path) => !path.endsWith("/"));
  // Where a folder took a tracked file's place, git shows nothing unless it is asked for it.
  for (const path of changed) {
    if ((await readState(join(branch.worktree, path))).kind === "folder") folders.push(`${path}/`);
  }
  return folders.length === 0 ? files : [...files, ...await untrackedPaths(branch, folders)];
}

/** Whether it had been moved. The files of a commit that is taken back then count as changed ones. */
async function restoreBranch(branch: SessionBranch, { head, index }: WorktreePhoto): Promise<boolean> {
  const ref = `refs/heads/${branch.branch}`;
  const { stdout } = await branchGit(branch, ["symbolic-ref", "--quiet", "HEAD"]);
  const tip = (await branchGit(branch, ["rev-parse", "--quiet", "--verify", ref])).stdout.trim();
  const moved = stdout.trim() !== ref || tip !== head;
  if (moved) {
    await branchOutput(branch, ["update-ref", ref, head]);
    await branchOutput(branch, ["symbolic-ref", "HEAD", ref]);
    // Also forgets a merge that is under way.
    await branchOutput(branch, ["reset", "--quiet"]);
  }
  if (await indexEntries(branch) !== index.entries) await writeFile(index.path, index.bytes);
  return moved;
}

async function remove({ worktree }: SessionBranch, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await removeIfExists(join(worktree, path));
    await removeEmptyParents(worktree, path);
  }
}

/** Those that differed from the branch before get what they held then, the others what the branch holds. */
async function restore(
  branch: SessionBranch,
  { dirty }: WorktreePhoto,
  now: readonly string[],
): Promise<void> {
  const clean = now.filter((path) => !dirty.has(path));
  if (clean.length > 0) {
    const paths = clean.join("\0");
    const list = ["--pathspec-from-file=-", "--pathspec-file-nul"];
    await branchOutput(branch, ["restore", "--source=HEAD", "--worktree", ...list], { stdin: paths });
  }
  for (const [path, state] of dirty) {
    const file = join(branch.worktree, path);
    if (differs({ before: state, after: await readState(file) })) await writeState(file, state);
  }
}

/** Of the permissions, git keeps whether a file can be executed. */
function differs({ before, after }: Pick<FixerChange, "before" | "after">): boolean {
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
