/** The branch that a session's fixes go to, and git commands on it that believe nothing found in the worktree. */
import { join, posix } from "node:path";
import type { SessionSource } from "../../machines/model/session.ts";
import { PthError } from "../core/errors.ts";
import { type ConfinedFolder, openConfined } from "../platform/confined/open_confined.ts";
import { readTextIfExists } from "../platform/files.ts";
import type { RunResult } from "../platform/process.ts";
import { git, type GitOptions, whole } from "./git.ts";

export interface SessionBranch {
  sessionId: string;
  branch: string;
  /** Commit that the branch started from. */
  base: string;
  worktree: string;
  gitDir: string;
  /** Plugin's folder within the worktree, "" for the top. */
  subfolder: string;
}

/** Undefined for a scratch folder that is no repository yet. */
export function branchOf(source: SessionSource): SessionBranch | undefined {
  const { sessionId, branch, base, worktree, gitDir, subfolder } = source;
  if (branch === undefined || base === undefined || gitDir === undefined) return undefined;
  return { sessionId, branch, base, worktree, gitDir, subfolder };
}

/** The plugin's folder on the host. */
export const pluginFolder = ({ worktree, subfolder }: SessionBranch): string => join(worktree, subfolder);

/** The branch's files, of which no path is trusted: a commit may hold links. */
export const pluginFiles = (branch: SessionBranch): ConfinedFolder => openConfined(pluginFolder(branch));

/** The files of the whole worktree, by the paths that git gives. */
export const worktreeFiles = ({ worktree }: SessionBranch): ConfinedFolder => openConfined(worktree);

/** A path of the plugin's folder as git names it. */
export const inWorktree = ({ subfolder }: SessionBranch, path: string): string => posix.join(subfolder, path);

/** A path as git names it, seen from the plugin's folder (`../x` for what lies outside). */
export const inPlugin = ({ subfolder }: SessionBranch, path: string): string =>
  subfolder === "" ? path : posix.relative(subfolder, path);

/** All commits of the session. A tag may have the branch's name. */
export const sessionRange = ({ base, branch }: SessionBranch): string => `${base}..refs/heads/${branch}`;

/** What the user's configuration must not change. */
const settings = ["core.safecrlf=false", "i18n.commitEncoding=UTF-8", "apply.ignoreWhitespace=no"]
  .flatMap((setting) => ["-c", setting]);

interface BranchGitOptions
  extends Pick<GitOptions, "signal" | "stdin" | "indexFile" | "workTree" | "maxBytes"> {
  /** Some commands refuse to be told that paths are literal; they take none but on stdin. */
  literal?: boolean;
}

/** Runs git on the branch; paths are taken literally. A non-zero exit is a result. */
export const branchGit = (
  { worktree, gitDir, sessionId }: SessionBranch,
  args: string[],
  { literal = true, ...options }: BranchGitOptions = {},
): Promise<RunResult> =>
  git(
    options.workTree ?? worktree,
    [...settings, ...(literal ? ["--literal-pathspecs"] : []), ...args],
    { gitDir, workTree: worktree, sessionId, ...options },
  );

/** Standard output of a git command that has to succeed. @throws {PthError} `GIT_FAILED` */
export async function branchOutput(
  branch: SessionBranch,
  args: string[],
  options: BranchGitOptions = {},
): Promise<string> {
  const result = await branchGit(branch, args, options);
  if (result.code === 0) return whole(args, result, options);
  throw new PthError(
    "GIT_FAILED",
    `Cannot git ${args[0]} on ${branch.branch}: exited with ${result.code}`,
    {
      output: (result.stderr || result.stdout).slice(0, 20_000),
      tried: [`git ${args.join(" ")}`],
      next: ["Do what git asks for, and try again"],
    },
  );
}

/** @throws {PthError} `GIT_FAILED` when somebody checked out something else in the worktree */
export async function checkOnBranch(branch: SessionBranch): Promise<void> {
  // The usual case, without a process; git knows better where a repository keeps its branches in another way.
  const head = await readTextIfExists(join(branch.gitDir, "HEAD"));
  if (head === `ref: refs/heads/${branch.branch}\n`) return;
  const { stdout } = await branchGit(branch, ["symbolic-ref", "--quiet", "HEAD"]);
  const there = stdout.trim();
  if (there === `refs/heads/${branch.branch}`) return;
  throw new PthError(
    "GIT_FAILED",
    `Cannot commit to ${branch.branch}: the worktree is on ${
      there === "" ? "no branch" : there.replace("refs/heads/", "")
    }`,
    { next: [`Check the session branch out again: git -C "${branch.worktree}" checkout ${branch.branch}`] },
  );
}
