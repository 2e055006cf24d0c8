/** Leftovers on the host in a dead session's register: worktrees, branches, locks, scratch folders. */
import { basename } from "node:path";
import { PthError } from "../core/errors.ts";
import { pathExists } from "../platform/files.ts";
import type { Leftover } from "../runtimes/runtime.ts";
import { endTagged, taggedPids } from "../platform/proc.ts";
import { helperMark } from "../git/git.ts";
import { clearLock, staleLock } from "../registry/lock.ts";
import type { RegisteredSession, RegisterEntry } from "../registry/register.ts";
import { removeTree } from "../platform/remove_tree.ts";
import {
  brokenEntries,
  deleteBranch,
  knowsWorktree,
  removeBrokenEntries,
  removeWorktree,
} from "../git/worktree.ts";
import { removeOwnRepository } from "../git/make_repository.ts";
import { sessionCommits } from "../git/session_branch.ts";
import { count } from "../core/text.ts";

/** A thing to remove; with `keep` the reason why it must stay. */
type HostLeftover = Leftover & { keep?: string };

type Finder = (entry: RegisterEntry, sessionId: string) => Promise<HostLeftover | undefined>;

/** Leftovers that still exist; folders before branches, since git refuses the other order. */
export async function hostLeftovers(session: RegisteredSession): Promise<HostLeftover[]> {
  const found: HostLeftover[] = [];
  for (const kind of ["worktree", "scratch", "branch", "lock"] as const) {
    for (const entry of session.entries.filter((entry) => entry.kind === kind)) {
      const thing = await finders[kind](entry, session.sessionId);
      if (thing) found.push(thing);
    }
  }
  return found;
}

/** A folder that carries our name and is in no register. */
export const orphanFolder = (path: string): HostLeftover => ({
  kind: "scratch",
  name: path,
  sessionId: basename(path).replace("pth-worktree-", ""),
  remove: () => removeFolder(path),
});

const finders: Record<"worktree" | "scratch" | "branch" | "lock", Finder> = {
  worktree,
  scratch,
  branch,
  lock,
};

/** A git that is still at work though its session was killed. End it before looking for what it makes. */
export async function helpersOf(sessionId: string): Promise<HostLeftover[]> {
  if (!await pathExists("/proc")) return [];
  const pids = await taggedPids(helperMark, sessionId);
  const remove = () => endTagged(helperMark, sessionId);
  return pids.map((pid) => ({ kind: "process", name: String(pid), sessionId, remove }));
}

async function worktree(entry: RegisterEntry, sessionId: string): Promise<HostLeftover | undefined> {
  const { name } = entry;
  const repository = String(entry.repository);
  // The folder may be gone (a reboot empties /tmp) while git still knows it.
  if (!await pathExists(name) && !await knowsWorktree(repository, name)) {
    if (!await pathExists(repository) || (await brokenEntries(repository, name)).length === 0) {
      return undefined;
    }
    return { kind: "worktree", name, sessionId, remove: () => removeBrokenEntries(repository, name) };
  }
  const remove = async () => {
    const left = await removeWorktree(repository, checkOurs(name));
    if (left.length > 0) throw notRemoved(name, left.join("\n"));
  };
  return { kind: "worktree", name, sessionId, remove };
}

async function scratch({ name }: RegisterEntry, sessionId: string): Promise<HostLeftover | undefined> {
  if (!await pathExists(name)) return undefined;
  return { kind: "scratch", name, sessionId, remove: () => removeFolder(name) };
}

async function branch(entry: RegisterEntry, sessionId: string): Promise<HostLeftover | undefined> {
  const { name, repository, base } = entry as RegisterEntry & { repository: string; base: string };
  if (!await pathExists(repository)) return undefined;
  const own = await sessionCommits(repository, name, base);
  if (own === undefined) return undefined;
  const remove = async () => {
    if (!await deleteBranch(repository, name, own.tip)) throw notRemoved(name, "it moved meanwhile");
    await removeOwnRepository(repository);
  };
  const thing: HostLeftover = { kind: "branch", name, sessionId, remove };
  if (entry["resumed"] === true) return { ...thing, keep: "it was there before the session" };
  // Checkpoints count here: a session that was cut short can be resumed from them.
  const commits = own.commits + own.checkpoints;
  return commits === 0 ? thing : { ...thing, keep: `it holds ${count(commits, "commit")} of its own` };
}

async function lock({ name }: RegisterEntry, sessionId: string): Promise<HostLeftover | undefined> {
  if ((await staleLock(name, sessionId)).length === 0) return undefined;
  return { kind: "lock", name, sessionId, remove: () => clearLock(name, sessionId) };
}

async function removeFolder(path: string): Promise<void> {
  const left = await removeTree(checkOurs(path));
  if (left.length > 0) throw notRemoved(path, left.join("\n"));
}

/** A register is a file like others: whatever it says, only folders that carry our name are removed. */
function checkOurs(path: string): string {
  if (basename(path).startsWith("pth-worktree-")) return path;
  throw new PthError("INTERNAL", `Cannot remove ${path}: its name is not that of a PTH folder`);
}

const notRemoved = (name: string, output: string): PthError =>
  new PthError("WORKTREE_FAILED", `Cannot remove all of ${name}`, { output });
