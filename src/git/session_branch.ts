/** The branch that a session's fixes go to, and git commands on it that believe nothing found in the worktree. */
import { join, posix } from "node:path";
import type { SessionSource } from "../../machines/model/session.ts";
import { PthError } from "../core/errors.ts";
import { type ConfinedFolder, openConfined } from "../platform/confined/open_confined.ts";
import { readTextIfExists } from "../platform/files.ts";
import type { RunResult } from "../platform/process.ts";
import { git, type GitOptions, gitOutput, whole } from "./git.ts";
import type { Repository } from "./repository.ts";

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

/** Settings that the user's configuration must not change. */
const settings = ["core.safecrlf=false", "i18n.commitEncoding=UTF-8", "apply.ignoreWhitespace=no"]
  .flatMap((setting) => ["-c", setting]);

interface BranchGitOptions
  extends Pick<GitOptions, "signal" | "stdin" | "indexFile" | "workTree" | "maxBytes"> {
  /** False for commands that refuse `--literal-pathspecs`; those take paths on stdin only. */
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
    `Cannot run git ${args[0]} on ${branch.branch}: exited with ${result.code}`,
    {
      output: (result.stderr || result.stdout).slice(0, 20_000),
      tried: [`git ${args.join(" ")}`],
      next: ["Do what git asks for, and try again"],
    },
  );
}

/** Checks that the worktree is on the session branch. @throws {PthError} `GIT_FAILED` if something else is checked out */
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

/** Path of the saved state of a session, relative to the plugin's folder. */
export const stateFile = ".pth/session-state.json";

/** Value of `PTH-Type` on commits that save the session's state and nothing else. */
export const checkpointType = "state-checkpoint";

/** Arguments of git whose output `countCommits` reads; a range comes after them. */
export const logTypes = [
  "log",
  "--no-color",
  "--no-show-signature",
  // Trailers, not any line of the message: who writes a fix may write anything.
  "--format=%(trailers:key=PTH-Type,valueonly,separator=%x2C)",
];

export function countCommits(log: string): { commits: number; checkpoints: number } {
  const types = log.split("\n").slice(0, -1);
  const checkpoints = types.filter((each) => each.trim() === checkpointType).length;
  return { commits: types.length - checkpoints, checkpoints };
}

interface SessionCommits {
  /** Latest commit of the branch. */
  tip: string;
  /** Beyond the base, without checkpoints. */
  commits: number;
  checkpoints: number;
}

/** Counts the commits that only the session branch has; undefined if there is no such branch. */
export async function sessionCommits(
  top: string,
  branch: string,
  base: string,
): Promise<SessionCommits | undefined> {
  const verify = await git(top, ["rev-parse", "--verify", "--quiet", `refs/heads/${branch}^{commit}`]);
  if (verify.code !== 0) return undefined;
  const tip = verify.stdout.trim();
  return { tip, ...countCommits(await gitOutput(top, [...logTypes, `${base}..${tip}`])) };
}

/** Caches that an install filled, where the repository does not ignore them: the next install sees whether they fit. */
const caches = ["node_modules", ".venv", "target"];

/**
 * Files of the commit, and none that is in no commit, but those that the repository ignores. The branch stays where it is.
 * @throws {PthError} `GIT_FAILED`
 */
export async function checkOut(
  branch: SessionBranch,
  commit: string,
  signal?: AbortSignal,
): Promise<void> {
  const options = signal === undefined ? {} : { signal };
  await branchOutput(branch, ["checkout", "--quiet", "--force", "--detach", commit], options);
  const kept = caches.flatMap((name) => ["-e", name]);
  await branchOutput(branch, ["clean", "-ffdq", ...kept], { ...options, literal: false });
}

/** Limit on commits that the error lists when a branch name is taken. */
const toldCommits = 10;

/** @throws {PthError} `INVALID_INPUT` for what git takes for no name; `BRANCH_EXISTS` with the branch's latest commits */
export async function checkBranchName({ top }: Repository, branch: string): Promise<void> {
  const form = await git(top, ["check-ref-format", "--branch", branch]);
  if (form.code !== 0 || form.stdout.trim() !== branch) {
    throw new PthError(
      "INVALID_INPUT",
      `Cannot name the session branch "${branch}": not a valid git branch name`,
      {
        output: form.stderr,
        next: ["Use letters, digits, - and /, for example pth/my-fixes"],
      },
    );
  }
  const format = ["--no-show-signature", `--max-count=${toldCommits}`, "--format=%h %cI %s"];
  const log = await git(top, ["log", ...format, `refs/heads/${branch}`, "--"]);
  if (log.code !== 0) return;
  const history = log.stdout.trim().split("\n");
  throw new PthError("BRANCH_EXISTS", `Cannot start session: branch ${branch} exists`, {
    branch,
    history,
    next: [{ mcp: `Resume it: pth_resume_session({ branch: "${branch}" })` }],
  });
}

/** `pth/<plugin>-<date>-<session>`. */
export function sessionBranchName({ name, sessionId }: Pick<SessionSource, "name" | "sessionId">): string {
  const date = new Date().toISOString().slice(0, 10);
  return `pth/${slug(name)}-${date}-${slug(sessionId)}`;
}

/** Part of a branch name: what git, shells and people can all read. */
const slug = (text: string): string =>
  text.toLowerCase().replace(/^@/, "").replaceAll(/[^a-z0-9.]+/g, "-").replaceAll(/\.{2,}|^[-.]+|[-.]+$/g, "")
    .slice(0, 60).replace(/\.lock$/, "") || "plugin";
