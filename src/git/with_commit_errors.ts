/** A commit that git refused, with the state of its index. */
import { join } from "node:path";
import { errorMessage, PthError } from "../core/errors.ts";
import { pathExists, stat } from "../platform/files.ts";
import { branchGit, type SessionBranch } from "./session_branch.ts";

/** Another git holds a lock: it lets go of it in a moment, or died with it. */
const locked = /\.lock': File exists|Another git process|cannot lock ref/i;

/** Whether git's words tell of a lock. */
export const isLocked = (output: string): boolean => locked.test(output);

/** Runs what ends in a commit. @throws {PthError} `COMMIT_FAILED` where git fails; other errors pass through */
export async function withCommitErrors<T>(branch: SessionBranch, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PthError) || error.code !== "GIT_FAILED") throw error;
    throw await commitFailed(branch, error);
  }
}

async function commitFailed(branch: SessionBranch, cause: PthError): Promise<PthError> {
  const { message, context } = cause;
  const held = isLocked(context.output ?? "");
  const state = held ? "another git holds a lock" : message.replace(/^Cannot /, "cannot ");
  return new PthError("COMMIT_FAILED", `Cannot commit to ${branch.branch}: ${state}; nothing was committed`, {
    ...context,
    index: await indexState(branch),
    transient: held,
  }, { cause });
}

/** Its lock, and what is staged. */
async function indexState(branch: SessionBranch): Promise<string[]> {
  const lock = join(branch.gitDir, "index.lock");
  const { code, stdout, stderr } = await branchGit(branch, [
    "status",
    "--porcelain=v1",
    "--untracked-files=no",
    "--ignore-submodules=all",
  ]);
  const staged = stdout.split("\n").filter((line) => /^[^ ?]/.test(line));
  return [
    await lockState(lock),
    code !== 0 ? `not readable: ${stderr.trim()}` : staged.length === 0 ? "nothing staged" : "staged:",
    ...staged,
  ];
}

async function lockState(lock: string): Promise<string> {
  try {
    if (!await pathExists(lock)) return "no index.lock";
    const { mtime } = await stat(lock);
    return `${lock} is there${mtime ? `, since ${mtime.toISOString()}` : ""}`;
  } catch (error) {
    return `${lock} cannot be looked at: ${errorMessage(error)}`;
  }
}
