/** Finds the worktrees that have a session branch checked out: those of dead sessions give it up, others do not. */
import { delay } from "../../core/waiting.ts";
import { basename, join } from "node:path";
import { PthError } from "../../core/errors.ts";
import { listFolder, pathExists, readTextIfExists, removeIfExists } from "../../platform/files.ts";
import { helpersOf } from "../host_leftovers.ts";
import { readLock } from "../../registry/lock.ts";
import type { RegisteredSession } from "../../registry/register.ts";
import { listWorktrees } from "../../git/worktree.ts";
import type { FoundSession } from "./find_session.ts";

/** A dead session's folder, which git takes for a checkout of the branch. */
export interface BranchOwner {
  worktree: string;
  /** Git's own folder for it; absent where it is lost. */
  gitDir?: string;
}

/**
 * @returns what dead sessions left, and what to say of a live one that the caller chose to go over (`force`)
 * @throws {PthError} `SESSION_LOCKED` for a live session, `INVALID_INPUT` for a checkout of the author's
 */
export async function findBranchOwners(
  found: FoundSession,
  force: boolean,
): Promise<{ holders: BranchOwner[]; notes: string[] }> {
  const { branch, repository, own, sessions, folder } = found;
  const live = sessions.find(({ alive }) => alive);
  if (live && !force) throw stillAlive(branch, live.sessionId, live.owner.pid);
  const notes = live
    ? [`Session ${live.sessionId} (pid ${live.owner.pid}) is alive on the same branch.`]
    : [];
  const dead = sessions.filter(({ alive }) => !alive);
  if (own) {
    const folders = dead.flatMap(({ entries }) => entries).filter(({ kind }) => kind === "scratch");
    const there = [];
    for (const { name } of folders) {
      if (await pathExists(name)) there.push({ worktree: name, gitDir: repository.top });
    }
    return { holders: there, notes };
  }
  const holders: BranchOwner[] = [];
  for (const { path } of (await listWorktrees(repository.top)).filter((each) => each.branch === branch)) {
    const owner = sessions.find(({ entries }) => entries.some(({ name }) => name === path));
    if (owner?.alive) continue;
    if (!basename(path).startsWith("pth-worktree-")) throw checkedOut(branch, path);
    if (owner === undefined) {
      // Another user's session, or one with another PTH_HOME: the lock knows.
      const held = folder === undefined ? undefined : await readLock(folder);
      if (held?.alive && held.lock?.branch === branch) {
        if (!force) throw stillAlive(branch, held.lock.sessionId, held.lock.pid);
        notes.push(`Session ${held.lock.sessionId} (pid ${held.lock.pid}) is alive on the same branch.`);
        continue;
      }
    }
    const gitDir = await gitDirFor(repository.gitDir, path);
    holders.push({ worktree: path, ...(gitDir === undefined ? {} : { gitDir }) });
  }
  return { holders, notes };
}

/** Git folder of a worktree. The worktree's own `.git` file is not trusted: the environment may have written it. */
async function gitDirFor(common: string, worktree: string): Promise<string | undefined> {
  for (const { name } of await listFolder(join(common, "worktrees"))) {
    const gitDir = join(common, "worktrees", name);
    const points = await readTextIfExists(join(gitDir, "gitdir"));
    if (points?.trim() === join(worktree, ".git")) return gitDir;
  }
  return undefined;
}

/**
 * A git that outlived its session finishes its commit; one that does not end is ended. What a git that was killed itself has
 * locked is unlocked then.
 */
export async function waitForHelpers(
  dead: readonly RegisteredSession[],
  { repository, branch, own }: FoundSession,
): Promise<void> {
  const helpers = async () => (await Promise.all(dead.map(({ sessionId }) => helpersOf(sessionId)))).flat();
  const until = Date.now() + 5000;
  let left = await helpers();
  while (left.length > 0 && Date.now() < until) {
    await delay(50);
    left = await helpers();
  }
  for (const helper of left) await helper.remove();
  if (dead.length === 0) return;
  await removeIfExists(join(repository.gitDir, "refs/heads", `${branch}.lock`));
  if (own) {
    for (const name of ["index.lock", "HEAD.lock"]) await removeIfExists(join(repository.gitDir, name));
  }
}

const stillAlive = (branch: string, sessionId: string, pid: number): PthError =>
  new PthError(
    "SESSION_LOCKED",
    `Cannot resume ${branch}: session ${sessionId} (pid ${pid}) is active on it`,
    {
      sessionId,
      pid,
      next: ["End that session first", "Or go over it, if it hangs: force: true"],
    },
  );

const checkedOut = (branch: string, path: string): PthError =>
  new PthError("INVALID_INPUT", `Cannot resume ${branch}: it is checked out in ${path}`, {
    next: [
      `Check out another branch there, for example: git -C "${path}" switch -`,
      "Changes there that are not committed stay with that checkout",
    ],
  });
