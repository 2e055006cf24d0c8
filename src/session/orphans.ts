import { basename } from "node:path";
import { pathExists } from "../platform/files.ts";
import { readLock } from "../registry/lock.ts";
import { listSessions, type RegisteredSession } from "../registry/register.ts";
import { listWorktrees } from "../git/worktree.ts";
import type { NextStep } from "../core/next_step.ts";
import { sessionCommits } from "../git/session_branch.ts";
import { count } from "../core/text.ts";

interface OrphanedSession {
  /** Absent for a worktree that no register of this user knows. */
  sessionId?: string;
  worktree?: string;
  branch?: string;
  /** Commits of the branch, with checkpoints; absent if its base is not known. */
  commits?: number;
}

/** @param where the plugin's folder and, where there is one, the top of its repository */
export async function findOrphans(
  { folder, top }: { folder: string; top?: string },
): Promise<OrphanedSession[]> {
  const sessions = await listSessions();
  const orphans: OrphanedSession[] = [];
  for (const session of sessions) {
    if (session.alive || session.kept || !concerns(session, folder, top)) continue;
    const orphan = await leftOf(session);
    if (orphan) orphans.push(orphan);
  }
  return top === undefined ? orphans : [...orphans, ...await strangers(top, folder, sessions)];
}

const concerns = ({ entries }: RegisteredSession, folder: string, top: string | undefined): boolean =>
  entries.some(({ kind, name, repository }) =>
    (kind === "lock" && name === folder) || (top !== undefined && repository === top)
  );

async function leftOf({ sessionId, entries }: RegisteredSession): Promise<OrphanedSession | undefined> {
  const of = (...kinds: string[]) => entries.find(({ kind }) => kinds.includes(kind));
  const folder = of("worktree", "scratch");
  const worktree = folder && await pathExists(folder.name) ? { worktree: folder.name } : {};
  const branch = of("branch");
  const repository = String(branch?.["repository"]);
  const own = branch && await pathExists(repository)
    ? await sessionCommits(repository, branch.name, String(branch["base"]))
    : undefined;
  if (own) return { sessionId, ...worktree, branch: branch!.name, commits: own.commits + own.checkpoints };
  return folder && await pathExists(folder.name) ? { sessionId, ...worktree } : undefined;
}

/** Worktrees named like PTH's, of another user or another `PTH_HOME`; the plugin's lock shows whether it belongs to that session. */
async function strangers(
  top: string,
  folder: string,
  sessions: RegisteredSession[],
): Promise<OrphanedSession[]> {
  const known = new Set(sessions.flatMap(({ entries }) => entries.map(({ name }) => name)));
  const lock = await readLock(folder);
  return (await listWorktrees(top)).flatMap(({ path, branch }) => {
    const name = basename(path);
    if (!name.startsWith("pth-worktree-") || known.has(path)) return [];
    if (lock?.alive && name === `pth-worktree-${lock.lock?.sessionId}`) return [];
    return [{ worktree: path, ...(branch === undefined ? {} : { branch }) }];
  });
}

/** Tells what there is, and how to go on with it or remove it. */
export function orphanText(
  { sessionId, worktree, branch, commits }: OrphanedSession,
): { message: string; next: NextStep[] } {
  const whose = sessionId === undefined
    ? "a session that is not known here"
    : `session ${sessionId}, which was cut short`;
  const size = commits === undefined ? "" : ` (${count(commits, "commit")})`;
  const things = [
    ...(branch === undefined ? [] : [`branch ${branch}${size}`]),
    ...(worktree === undefined ? [] : [`worktree ${worktree}`]),
  ];
  const resumable = branch !== undefined && commits !== 0;
  return {
    message: `${things.join(" and ")} of ${whose}`,
    next: [
      ...(resumable
        ? [{
          terminal: `Resume it: pth iterate --resume ${branch}`,
          mcp: `Resume it: pth_resume_session({ branch: "${branch}" })`,
        }]
        : []),
      sessionId === undefined
        ? "Remove it if it is not in use: pth clean --all"
        : "Remove its leftovers, except a branch with commits: pth clean",
    ],
  };
}
