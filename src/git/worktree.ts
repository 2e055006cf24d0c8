/** Worktrees of a session: the whole repository at HEAD on a session branch. */
import { basename, dirname, join, resolve } from "node:path";
import { PthError } from "../core/errors.ts";
import { listFolder, pathExists, removeEmptyFolder, removeIfExists } from "../platform/files.ts";
import { makeOwnFolder } from "../platform/own_folder.ts";
import { copyOne, copyTree, pathKind } from "../platform/copy_tree.ts";
import { git, type GitOptions, gitOutput } from "./git.ts";
import { removeTree } from "../platform/remove_tree.ts";
import {
  findRepository,
  type Repository,
  submodulePaths,
  uncommittedPaths,
  workingFiles,
} from "./repository.ts";
import { freeSpaceMiB } from "../platform/append_durably.ts";

/**
 * Makes the worktree and its branch.
 * @throws {PthError} `WORKTREE_FAILED` with git's words; `context.readOnly` when the repository cannot be written
 */
export async function addWorktree(
  repository: Repository,
  worktree: string,
  branch: string,
  options: Pick<GitOptions, "signal" | "sessionId"> = {},
): Promise<void> {
  await makeWorktree(
    repository,
    worktree,
    ["--no-track", "-b", branch, worktree, repository.head],
    options,
  );
}

/**
 * A worktree of a branch that is there, also where another worktree has it checked out.
 * @throws {PthError} `WORKTREE_FAILED`
 */
export const addWorktreeOf = (
  repository: Repository,
  worktree: string,
  branch: string,
  options: Pick<GitOptions, "signal" | "sessionId"> = {},
): Promise<void> => makeWorktree(repository, worktree, ["--force", worktree, branch], options);

async function makeWorktree(
  repository: Repository,
  worktree: string,
  args: string[],
  options: Pick<GitOptions, "signal" | "sessionId">,
): Promise<void> {
  // Git takes an empty folder as it is: no other user can read it, wherever it is.
  await makeOwnFolder(worktree);
  const command = ["worktree", "add", ...args];
  const result = await git(repository.top, command, options);
  if (result.code === 0) return;
  const readOnly = /permission denied|read-only|unable to create|could not create|cannot mkdir/i.test(
    result.stderr,
  );
  await removeEmptyFolder(worktree);
  // Git takes away what it made, but for the folder of all entries.
  if (!readOnly) await removeEmptyFolder(join(repository.gitDir, "worktrees"));
  await checkRoom(repository, worktree, result.stderr);
  throw new PthError("WORKTREE_FAILED", `Cannot make worktree ${worktree}: git exited with ${result.code}`, {
    output: result.stderr,
    tried: [`git ${command.join(" ")}`],
    readOnly,
    next: ["PTH_WORKTREE_DIR names the folder for worktrees"],
  });
}

/** A session branch that is free, and the suffix that made it so ("" or "-2", "-3" …). */
export async function freeNames(
  repository: Repository,
  branch: string,
  worktree: string,
): Promise<{ branch: string; worktree: string }> {
  // A branch called "pth" leaves no room for "pth/…".
  const stem = await hasBranch(repository, "pth") ? branch.replace(/^pth\//, "pth-") : branch;
  for (let number = 1;; number++) {
    const suffix = number === 1 ? "" : `-${number}`;
    const names = { branch: stem + suffix, worktree: worktree + suffix };
    if (!await hasBranch(repository, names.branch) && !await pathExists(names.worktree)) return names;
  }
}

/**
 * Brings the working tree as it stands into the worktree: changed and new files, deletions, submodules.
 * @returns things to say to the user
 */
export async function copyUncommitted(repository: Repository, worktree: string): Promise<string[]> {
  // Sorted, so that what stood above a path goes first: nothing is removed or written through an old link.
  const paths = (await uncommittedPaths(repository)).sort();
  for (const path of paths) await removeIfExists(join(worktree, path));
  for (const path of paths) {
    const from = join(repository.top, path);
    // A folder that git names without "/" at its end is a file's or link's old name: what it holds is listed by itself.
    if (path.endsWith("/") || await pathKind(from) !== "folder") await copyPath(from, join(worktree, path));
  }
  return paths.length === 0 ? [] : [`${uncommitted(paths.length)} included.`];
}

/** Says what a session that starts at HEAD leaves out. */
export async function noteUncommitted(repository: Repository): Promise<string[]> {
  const { length } = await uncommittedPaths(repository);
  return length === 0 ? [] : [
    `${
      uncommitted(length)
    } not included: the session starts at HEAD (uncommitted: true takes them as its first commit).`,
  ];
}

/** A worktree comes without its submodules: they are copied from the checkout, so that no network is needed. */
export async function copySubmodules(repository: Repository, worktree: string): Promise<string[]> {
  if (!await pathExists(join(worktree, ".gitmodules"))) return [];
  if (repository.bare) return ["Submodules are missing: a bare repository does not hold them."];
  const notes: string[] = [];
  for (const path of await submodulePaths(repository.top)) {
    const files = await copyPath(join(repository.top, path), join(worktree, path));
    notes.push(
      files > 0
        ? `Submodule ${path} is copied as it is checked out.`
        : `Submodule ${path} is empty: run git submodule update --init in your checkout.`,
    );
  }
  return notes;
}

/** A file, or a repository within the repository: its files that are not ignored, without its `.git`. */
async function copyPath(from: string, to: string): Promise<number> {
  if (await pathKind(from) !== "folder") return await copyOne(from, to) ? 1 : 0;
  const within = await findRepository(from);
  // Without a `.git` of its own the folder belongs to the repository around it.
  if (!("top" in within) || within.subfolder !== "") {
    return await copyTree(from, to, { skip: (path) => path === ".git" });
  }
  let files = 0;
  for (const path of await workingFiles(from)) files += await copyPath(join(from, path), join(to, path));
  return files;
}

/**
 * Removes the worktree, and its entry in the repository. Works also when the folder is half gone, or its `.git` was changed.
 * @returns what could not be removed
 */
export async function removeWorktree(repositoryTop: string, worktree: string): Promise<string[]> {
  // Twice "force": a worktree whose making was cut short is locked.
  const remove = () => git(repositoryTop, ["worktree", "remove", "--force", "--force", worktree]);
  if ((await remove()).code === 0) return [];
  const stuck = await removeTree(worktree);
  if (stuck.length > 0) return stuck;
  const second = await remove();
  await removeBrokenEntries(repositoryTop, worktree);
  const gone = second.code === 0 ||
    /is not a working tree|cannot change to|not a git repository/.test(second.stderr);
  return gone ? [] : [`entry of ${worktree} in ${repositoryTop}: ${second.stderr.trim()}`];
}

/**
 * Paths in the repository that a git left which was stopped while it made the worktree, and that git itself does not know:
 * an entry without its beginning, or the empty folder of all entries.
 */
export async function brokenEntries(top: string, worktree: string): Promise<string[]> {
  const { code, stdout } = await git(top, ["rev-parse", "--git-path", "worktrees"]);
  if (code !== 0) return [];
  const folder = resolve(top, stdout.replace(/\n$/, ""));
  if (!await pathExists(folder)) return [];
  const names = (await listFolder(folder)).map(({ name }) => name);
  if (names.length === 0) return [folder];
  const entry = join(folder, basename(worktree));
  return names.includes(basename(entry)) && !await pathExists(join(entry, "gitdir")) ? [entry] : [];
}

/** Removes them; git itself removes the folder with its last entry. */
export async function removeBrokenEntries(top: string, worktree: string): Promise<void> {
  // The entry first, then what is empty without it. What another git begins meanwhile stays.
  for (const path of await brokenEntries(top, worktree)) {
    if (basename(path) === basename(worktree)) await removeTree(path);
  }
  for (const path of await brokenEntries(top, worktree)) await removeEmptyFolder(path);
}

/** The repository's checkouts, the main one first; `branch` is absent where none is checked out. */
export async function listWorktrees(top: string): Promise<{ path: string; branch?: string }[]> {
  const { stdout } = await git(top, ["worktree", "list", "--porcelain"]);
  return stdout.split("\n\n").flatMap((block) => {
    const path = /^worktree (.+)$/m.exec(block)?.[1];
    const branch = /^branch refs\/heads\/(.+)$/m.exec(block)?.[1];
    return path === undefined ? [] : [{ path, ...(branch === undefined ? {} : { branch }) }];
  });
}

/** Whether the repository has an entry for the worktree. */
export const knowsWorktree = async (top: string, worktree: string): Promise<boolean> =>
  (await listWorktrees(top)).some(({ path }) => path === worktree);

/** Deletes the branch if it still stands at its tip: a commit made meanwhile is never lost. */
export async function deleteBranch(top: string, branch: string, tip: string): Promise<boolean> {
  return (await git(top, ["update-ref", "-d", `refs/heads/${branch}`, tip])).code === 0;
}

export const hasBranch = async (
  repository: Pick<Repository, "top">,
  branch: string,
): Promise<boolean> =>
  (await git(repository.top, ["show-ref", "--verify", "--quiet", `refs/heads/${branch}`])).code === 0;

const uncommitted = (count: number): string =>
  count === 1 ? "1 uncommitted change is" : `${count} uncommitted changes are`;

const unwritten = /unable to (?:write|create) file|cannot create directory/i;

/** @throws {PthError} `DISK_FULL` where git could not write, and the commit's files do not fit into what is free */
async function checkRoom(
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

/** Size of all files of a commit, in MiB. */
async function sizeOf(top: string, head: string): Promise<number> {
  const list = await gitOutput(top, ["ls-tree", "-r", "-l", head]);
  const bytes = list.split("\n").map((line) => Number(line.split(/\s+/)[3]) || 0);
  return Math.ceil(bytes.reduce((sum, size) => sum + size, 0) / 1024 / 1024);
}
