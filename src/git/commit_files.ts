/** One commit of named files on the session branch, whatever else lies changed in the worktree. */
import { errorMessage, PthError } from "../core/errors.ts";
import { nulSeparated } from "./git.ts";
import {
  branchGit,
  branchOutput,
  checkOnBranch,
  inPlugin,
  inWorktree,
  type SessionBranch,
  worktreeFiles,
} from "./session_branch.ts";
import { join } from "node:path";
import { pathExists, stat } from "../platform/files.ts";

/**
 * Commits the files as they lie on the disk (a missing one as deleted), without hooks and signing.
 * @param paths relative to the plugin's folder
 * @returns the commit, or undefined when none of the files differs from the branch
 * @throws {PthError} `COMMIT_FAILED`; nothing of these files is staged then; `GIT_FAILED` off the branch
 */
export async function commitFiles(
  branch: SessionBranch,
  paths: readonly string[],
  message: string,
  { force = false }: { force?: boolean } = {},
): Promise<string | undefined> {
  await checkOnBranch(branch);
  return await withCommitErrors(branch, () => commitPaths(branch, paths, message, force));
}

async function commitPaths(
  branch: SessionBranch,
  paths: readonly string[],
  message: string,
  force: boolean,
): Promise<string | undefined> {
  const files = paths.map((path) => inWorktree(branch, path));
  try {
    await stage(branch, files, force);
    const staged = ["diff", "--cached", "--name-only", "--no-renames", "--ignore-submodules=all", "-z"];
    const [settings, names] = await Promise.all([
      commitIdentity(branch),
      branchOutput(branch, [...staged, "HEAD", "--", ...files]),
    ]);
    const differing = nulSeparated(names);
    // A file whose place a folder took goes with what is in that folder; by its name git finds the folder.
    const changed = differing.filter((path) => !differing.some((other) => other.startsWith(`${path}/`)));
    if (changed.length === 0) return undefined;
    const commit = ["commit", "--only", "--quiet", "--no-verify", "--no-gpg-sign", "--no-status"];
    await branchOutput(
      branch,
      [...settings, ...commit, "--cleanup=verbatim", "--file=-", "--", ...changed],
      { stdin: message },
    );
  } catch (error) {
    await branchGit(branch, ["reset", "--quiet", "HEAD", "--", ...files]);
    throw error;
  }
  return (await branchOutput(branch, ["rev-parse", "HEAD"])).trim();
}

/** Git refuses a path that is neither there nor known to it: such a file was never in the branch. */
async function stage(branch: SessionBranch, files: string[], force: boolean): Promise<void> {
  const gone: string[] = [];
  const worktree = worktreeFiles(branch);
  for (const file of files) if (await worktree.stat(file) === undefined) gone.push(file);
  const asked = gone.length === 0 ? "" : await branchOutput(branch, ["ls-files", "-z", "--", ...gone]);
  const known = new Set(nulSeparated(asked));
  const there = files.filter((file) => known.has(file) || !gone.includes(file));
  if (there.length === 0) return;
  const add = ["add", "--all", ...(force ? ["--force"] : []), "--", ...there];
  const { code, stderr } = await branchGit(branch, add);
  if (code === 0) return;
  if (/sparse-checkout/.test(stderr)) {
    throw notCommittable(there.map((path) => sparse(inPlugin(branch, path))));
  }
  throw new PthError("GIT_FAILED", `Cannot run git add on ${branch.branch}: exited with ${code}`, {
    output: stderr,
    tried: [`git ${add.join(" ")}`],
  });
}

const sparse = (path: string): string =>
  `${path} lies where the author's sparse checkout leaves out files (git sparse-checkout list)`;

/** Files of the branch that a sparse checkout does not have on the disk. */
async function leftOutPaths(branch: SessionBranch, paths: readonly string[]): Promise<Set<string>> {
  const files = paths.map((path) => inWorktree(branch, path));
  const listed = nulSeparated(await branchOutput(branch, ["ls-files", "-t", "-z", "--", ...files]));
  const left = new Set(listed.filter((entry) => entry.startsWith("S ")).map((entry) => entry.slice(2)));
  return new Set(paths.filter((path) => left.has(inWorktree(branch, path))));
}

/** Files that no commit of the branch can hold. @throws {PthError} `EDIT_FAILED`, `GIT_FAILED` */
export async function checkCommittable(branch: SessionBranch, paths: readonly string[]): Promise<void> {
  const modules = await submodules(branch);
  const foreign = new Map<string, string>();
  for (const path of paths) {
    const file = inWorktree(branch, path);
    const module = modules.find((folder) => `${file}/`.startsWith(`${folder}/`));
    const within = module ?? await repositoryWithin(branch, file);
    if (within === undefined) continue;
    const what = module === undefined ? "a repository of its own" : "a submodule";
    foreign.set(path, `${path} lies in ${within}, ${what}: the session's branch does not hold its files`);
  }
  const left = await leftOutPaths(branch, paths);
  const ignored = await ignoredPaths(branch, paths.filter((path) => !foreign.has(path)));
  const problems = paths.flatMap((path) => {
    const reason = foreign.get(path);
    if (reason !== undefined) return [reason];
    if (left.has(path)) return [sparse(path)];
    return ignored.has(path) ? [`${path} is ignored by git: a fix of it would be in no commit`] : [];
  });
  if (problems.length > 0) throw notCommittable(problems);
}

const notCommittable = (problems: string[]): PthError =>
  new PthError("EDIT_FAILED", `Cannot apply fix: ${problems[0]}; nothing was changed`, {
    output: problems.join("\n"),
    problems,
    next: [
      "Edit another file: the source that this one is made from, or one that the branch holds",
      "Or change what leaves it out first (.gitignore in a fix of its own, git sparse-checkout add)",
    ],
  });

/** The folder above a path, below the top, that is a repository itself. */
async function repositoryWithin(branch: SessionBranch, file: string): Promise<string | undefined> {
  const files = worktreeFiles(branch);
  for (let end = file.indexOf("/"); end !== -1; end = file.indexOf("/", end + 1)) {
    const folder = file.slice(0, end);
    // Above a path that is to come there may be a file now.
    if (await files.stat(`${folder}/.git`) !== undefined) return folder;
  }
  return undefined;
}

/** Tracked files are not ignored, whatever the patterns say. */
async function ignoredPaths(branch: SessionBranch, paths: string[]): Promise<Set<string>> {
  if (paths.length === 0) return new Set();
  // A name that begins with ":" would be a pattern.
  const named = (path: string) => `./${inWorktree(branch, path)}`;
  const asked = { stdin: paths.map(named).join("\0"), literal: false };
  const { code, stdout, stderr } = await branchGit(branch, ["check-ignore", "-z", "--stdin"], asked);
  // 1 means that none is.
  if (code !== 0 && code !== 1) {
    throw new PthError("GIT_FAILED", `Cannot run git check-ignore: exited with ${code}`, { output: stderr });
  }
  const ignored = new Set(nulSeparated(stdout));
  return new Set(paths.filter((path) => ignored.has(named(path))));
}

async function submodules(branch: SessionBranch): Promise<string[]> {
  if (await worktreeFiles(branch).stat(".gitmodules") === undefined) return [];
  const entries = nulSeparated(await branchOutput(branch, ["ls-files", "--stage", "-z"]));
  return entries.filter((entry) => entry.startsWith("160000 ")).map((entry) =>
    entry.slice(entry.indexOf("\t") + 1)
  );
}

/** Settings for commands that make commits; PTH never writes them into a configuration. */
export async function commitIdentity(branch: SessionBranch): Promise<string[]> {
  const { stdout } = await branchGit(branch, ["config", "--get-regexp", "^user\\.(name|email)$"]);
  const set = new Set(
    stdout.split("\n").filter((line) => /^\S+ \S/.test(line)).map((line) => line.split(" ")[0]),
  );
  return [
    ...(set.has("user.name") ? [] : ["-c", "user.name=Plugin Test Harness"]),
    ...(set.has("user.email") ? [] : ["-c", "user.email=pth@localhost"]),
  ];
}

/** Another git holds a lock: it lets go of it in a moment, or died with it. */
const locked = /\.lock': File exists|Another git process|cannot lock ref/i;

/** Whether git's output reports a lock. */
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

/** Lock of the index, and staged files. */
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
    return `${lock} cannot be read: ${errorMessage(error)}`;
  }
}
