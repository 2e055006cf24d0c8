/** Git's state of a folder: its repository, the commit, uncommitted files. */
import { PthError } from "../core/errors.ts";
import { resolve } from "node:path";
import { git, gitOutput, nulSeparated } from "./git.ts";
import { lockFile } from "../registry/lock.ts";

export interface Repository {
  /** Top of the checkout, or the repository itself when it is bare. */
  top: string;
  bare: boolean;
  /** Shared git folder (`.git` of the main checkout). */
  gitDir: string;
  /** The folder within `top`, "" for the top. */
  subfolder: string;
  /** Commit at HEAD. */
  head: string;
}

/**
 * The repository that a folder belongs to, or why there is none to work with.
 * A reason that is only "no repository" needs no words; others are reported to the user.
 */
export async function findRepository(
  folder: string,
  signal?: AbortSignal,
): Promise<Repository | { reason: string | undefined }> {
  const options = signal === undefined ? {} : { signal };
  const answer = await git(folder, ["rev-parse", "--is-bare-repository", "--git-common-dir"], options);
  if (answer.code !== 0) return { reason: reasonOf(answer.stderr) };
  const [bareText = "", ...common] = withoutEnd(answer.stdout).split("\n");
  const bare = bareText === "true";
  // Names of folders may hold line ends.
  const gitDir = resolve(folder, common.join("\n"));
  const head = await git(folder, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], options);
  if (head.code !== 0) return { reason: "the repository has no commit yet" };
  const top = bare ? gitDir : await checkoutTop(folder, options);
  const prefix = bare ? "" : withoutEnd(await gitOutput(folder, ["rev-parse", "--show-prefix"], options));
  const subfolder = prefix.replace(/\/$/, "");
  return { top, bare, gitDir, subfolder, head: head.stdout.trim() };
}

/** Whether the folder is in the commit at HEAD or, with `untracked`, at least not ignored. */
export async function holdsFolder(repository: Repository, untracked: boolean): Promise<boolean> {
  const { top, subfolder, head } = repository;
  if (subfolder === "") return true;
  if ((await gitOutput(top, ["--literal-pathspecs", "ls-tree", head, "--", subfolder])) !== "") return true;
  if (!untracked) return false;
  const files = ["--literal-pathspecs", "ls-files", "-co", "--exclude-standard", "--", subfolder];
  return (await gitOutput(top, files)) !== "";
}

/** Paths that differ from HEAD: changed, staged, deleted, or new and not ignored. */
export async function uncommittedPaths(repository: Repository): Promise<string[]> {
  if (repository.bare) return [];
  const status = ["status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames"];
  const output = await gitOutput(repository.top, [...status, "--ignore-submodules=all"]);
  return nulSeparated(output).map((entry) => entry.slice(3)).filter((path) => !isLock(path));
}

/** Folders of the repository that are submodules. */
export async function submodulePaths(top: string): Promise<string[]> {
  const staged = nulSeparated(await gitOutput(top, ["ls-files", "--stage", "-z"]));
  return staged.filter((entry) => entry.startsWith("160000 ")).map((entry) =>
    entry.slice(entry.indexOf("\t") + 1)
  );
}

/** Tracked files and new ones that are not ignored, of a checkout as it stands. */
export async function workingFiles(top: string): Promise<string[]> {
  const output = await gitOutput(top, ["ls-files", "-z", "-co", "--exclude-standard"]);
  return [...new Set(nulSeparated(output))];
}

/** A folder's own git folder, for a worktree `.git/worktrees/<name>`. */
export async function gitDirOf(worktree: string): Promise<string> {
  return withoutEnd(await gitOutput(worktree, ["rev-parse", "--absolute-git-dir"]));
}

const withoutEnd = (line: string): string => line.replace(/\n$/, "");

const isLock = (path: string): boolean => `/${path}`.includes(`/${lockFile}`);

async function checkoutTop(folder: string, options: { signal?: AbortSignal }): Promise<string> {
  const top = await git(folder, ["rev-parse", "--show-toplevel"], options);
  if (top.code === 0) return withoutEnd(top.stdout);
  throw new PthError("GIT_FAILED", `Cannot find the checkout of ${folder}: exited with ${top.code}`, {
    output: top.stderr,
    next: ["Name a folder of a checkout, not one within .git"],
  });
}

function reasonOf(stderr: string): string | undefined {
  if (/not a git repository/i.test(stderr) && !/worktrees\//.test(stderr)) return undefined;
  return stderr.trim().split("\n")[0]?.replace(/^fatal: /, "") || "git cannot read the repository";
}
