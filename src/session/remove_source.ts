/** Takes away what `prepareSource` made. Safe to call twice, and on a source that was only half made. */
import type { SessionSource } from "../../machines/model/session.ts";
import { errorMessage } from "../core/errors.ts";
import { pathExists } from "../platform/files.ts";
import { releaseLock } from "../registry/lock.ts";
import type { SessionRegister } from "../registry/register.ts";
import { removeTree } from "../platform/remove_tree.ts";
import { deleteBranch, removeWorktree } from "../git/worktree.ts";
import { fixerFolder } from "../fixers/fixer_checkout.ts";
import { removeOwnRepository } from "../git/make_repository.ts";
import { sessionCommits } from "../git/session_branch.ts";

interface RemoveOptions {
  /** Keep the branch even if it holds no commit of its own. */
  keepBranch?: boolean;
  keepLock?: boolean;
  /** Register of the session; removed things are struck off. */
  register?: SessionRegister;
}

interface RemovedSource {
  /** Paths, branch and lock that are gone. */
  removed: string[];
  branchKept: boolean;
  /** Commits that the session branch holds beyond its base. */
  commits: number;
  /** Paths that could not be removed, with the reason. */
  leftBehind: string[];
}

/** Removes the session's copy. Never throws: leftovers are listed in `leftBehind`. */
export async function removeSource(
  source: SessionSource,
  options: RemoveOptions = {},
): Promise<RemovedSource> {
  const report: RemovedSource = { removed: [], branchKept: false, commits: 0, leftBehind: [] };
  const steps: [string, () => Promise<void>][] = [
    [fixerFolder(source.worktree), () => removeFixerFolder(source, options, report)],
    [source.worktree, () => removeFolder(source, options, report)],
    [`branch ${source.branch}`, () => removeBranch(source, options, report)],
    [`lock of ${source.folder}`, () => removeLock(source, options, report)],
  ];
  for (const [name, step] of steps) {
    try {
      await step();
    } catch (error) {
      report.leftBehind.push(`${name}: ${errorMessage(error)}`);
    }
  }
  return report;
}

async function removeFolder(source: SessionSource, options: RemoveOptions, report: RemovedSource) {
  const { worktree, repository } = source;
  const there = await pathExists(worktree);
  const left = repository === undefined ? removeTree(worktree) : removeWorktree(repository, worktree);
  report.leftBehind.push(...await left);
  if (await pathExists(worktree)) return;
  if (there) report.removed.push(worktree);
  const kind = repository === undefined ? "scratch" : "worktree";
  await options.register?.removed({ kind, name: worktree });
}

async function removeFixerFolder(source: SessionSource, options: RemoveOptions, report: RemovedSource) {
  const folder = fixerFolder(source.worktree);
  if (!await pathExists(folder)) return;
  const left = await removeTree(folder);
  report.leftBehind.push(...left);
  if (left.length > 0) return;
  report.removed.push(folder);
  await options.register?.removed({ kind: "scratch", name: folder });
}

async function removeBranch(source: SessionSource, options: RemoveOptions, report: RemovedSource) {
  const { repository, branch, base } = source;
  if (repository === undefined || branch === undefined || base === undefined) return;
  const own = await sessionCommits(repository, branch, base);
  report.commits = own?.commits ?? 0;
  // Checkpoints of a session without commits are worth nothing once it has ended; a branch that was there before stays.
  const keep = report.commits > 0 || options.keepBranch === true || source.resumed === true;
  if (own && !keep && await deleteBranch(repository, branch, own.tip)) {
    report.removed.push(branch);
    await removeOwnRepository(repository);
  } else if (own && !keep && (await sessionCommits(repository, branch, base))?.tip === own.tip) {
    // It stays in the register: `pth clean` tries again.
    report.branchKept = true;
    report.leftBehind.push(`branch ${branch} of ${repository}: git cannot delete it now`);
    return;
  } else report.branchKept = own !== undefined;
  await options.register?.removed({ kind: "branch", name: branch });
}

async function removeLock(source: SessionSource, options: RemoveOptions, report: RemovedSource) {
  if (source.folder === undefined || options.keepLock) return;
  if (await releaseLock(source.folder, source.sessionId)) report.removed.push(`lock of ${source.folder}`);
  await options.register?.removed({ kind: "lock", name: source.folder });
}
