/** A scratch session becomes a repository at its first commit, so that its fixes have a history. */
import { basename, dirname, join } from "node:path";
import type { SessionSource } from "../../machines/model/session.ts";
import { mkdir, removeIfExists, writeTextFile } from "../platform/files.ts";
import { openOwnFolder } from "../platform/own_folder.ts";
import { gitOutput } from "./git.ts";
import { lockFile } from "../registry/lock.ts";
import type { SessionRegister } from "../registry/register.ts";
import { branchOutput, type SessionBranch, sessionBranchName } from "./session_branch.ts";
import { commitIdentity } from "./commit_files.ts";
import { stateDir } from "../platform/host.ts";

/** Files that are made again inside the environment, and PTH's lock; a `.gitignore` of the plugin adds to it. */
export const defaultExcludes = [
  "node_modules/",
  ".venv/",
  "venv/",
  "__pycache__/",
  ".mypy_cache/",
  ".pytest_cache/",
  ".ruff_cache/",
  ".tox/",
  ".DS_Store",
  `${lockFile}*`,
];

/**
 * Commits the folder as it stands. The repository lies apart from it: what is shared with the environment holds no `.git`.
 * @returns the source with branch, base and repository
 * @throws {PthError} `GIT_FAILED`; nothing is left then
 */
export async function makeRepository(
  source: SessionSource,
  register: SessionRegister,
): Promise<SessionSource> {
  const gitDir = ownRepository(source.sessionId);
  const name = sessionBranchName(source);
  const branch: SessionBranch = { ...source, branch: name, base: "", gitDir };
  await openOwnFolder(ownRepositories());
  const unfinished = { kind: "scratch", name: gitDir };
  await register.willCreate(unfinished);
  try {
    await removeIfExists(gitDir);
    await gitOutput(ownRepositories(), ["init", "--quiet", "--bare", "--template=", gitDir]);
    await branchOutput(branch, ["symbolic-ref", "HEAD", `refs/heads/${name}`]);
    await mkdir(join(gitDir, "info"), { recursive: true });
    await writeTextFile(join(gitDir, "info/exclude"), defaultExcludes.join("\n") + "\n");
    await branchOutput(branch, ["add", "--all", "--", "."]);
    const commit = ["commit", "--quiet", "--no-verify", "--no-gpg-sign", "--no-status", "--allow-empty"];
    const message = `Start from ${source.name}${source.version === undefined ? "" : ` ${source.version}`}`;
    await branchOutput(branch, [...await commitIdentity(branch), ...commit, "-m", message]);
    const base = (await branchOutput(branch, ["rev-parse", "HEAD"])).trim();
    // Removing never loses commits from here on: `pth clean` keeps a branch that holds some.
    await register.willCreate({ kind: "branch", name, repository: gitDir, base });
    await register.removed(unfinished);
    return { ...source, branch: name, base, gitDir, repository: gitDir };
  } catch (error) {
    await removeIfExists(gitDir);
    await register.removed(unfinished);
    throw error;
  }
}

export const ownRepositories = (): string => join(stateDir(), "repositories");

/** Git folder of a session's own repository. */
export const ownRepository = (sessionId: string): string =>
  join(ownRepositories(), `pth-worktree-${sessionId}.git`);

const isOwn = (repository: string): boolean =>
  dirname(repository) === ownRepositories() && /^pth-worktree-.+\.git$/.test(basename(repository));

/** Removes a repository once its branch is gone, if PTH made it; the user's own are left alone. */
export async function removeOwnRepository(repository: string): Promise<void> {
  if (isOwn(repository)) await removeIfExists(repository);
}
