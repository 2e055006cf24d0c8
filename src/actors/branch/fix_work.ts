/** Work on the session branch: fixes, what takes them back, and what can be read of them. */
import type {
  DiffOptions,
  FixHistory,
  FixQuery,
  FixRecord,
  FixRequest,
  SessionDiff,
} from "../../../machines/model/fix.ts";
import { PthError } from "../../core/errors.ts";
import { applyFix, checkFix } from "../../fixes/apply_fix.ts";
import { diffSession } from "../../fixes/diff_session.ts";
import { queryHistory, readHistory, showCommit } from "../../git/history.ts";
import { findPatterns } from "../../fixes/find_patterns.ts";
import { planRevert, revertFix } from "../../fixes/revert_fix.ts";
import { branchOf, type SessionBranch } from "../../git/session_branch.ts";
import { ensureBranch } from "./ensure_branch.ts";
import type { SessionResources } from "../session_resources.ts";
import { lockfileEdits } from "./lockfile_edits.ts";

/** Configuration values count as secrets, too: the short ones ("true", "8080") stand in any source. */
const secretsOf = (live: SessionResources): string[] =>
  [...live.secrets.values.values()].filter(({ length }) => length >= 8);

async function check(
  live: SessionResources,
  { request }: { request: FixRequest },
): Promise<{ files: string[] }> {
  const changes = await checkFix(await ensureBranch(live), request, secretsOf(live));
  return { files: changes.map(({ path }) => path) };
}

async function apply(
  live: SessionResources,
  { request, snapshot }: { request: FixRequest; snapshot?: string },
): Promise<FixRecord> {
  const branch = await ensureBranch(live);
  const secrets = secretsOf(live);
  // Most fixes are none of a manifest, and need not be planned twice.
  const edits = JSON.stringify(request.edits).includes("package.json")
    ? await lockfileEdits(live, branch, await checkFix(branch, request, secrets))
    : [];
  const fix = await applyFix(branch, { ...request, edits: [...request.edits, ...edits] }, secrets);
  live.code.line.add(fix.commit);
  if (snapshot !== undefined) {
    live.snapshots.beforeFixes.set(fix.commit, { snapshot, environment: live.environment.count });
  }
  return fix;
}

/** @throws {PthError} `NO_SUCH_COMMIT` in a session that has no commit yet */
function existingBranch(
  { code: { source } }: SessionResources,
  commit: string,
  action = "revert",
): SessionBranch {
  const branch = branchOf(source!);
  if (branch) return branch;
  throw new PthError("NO_SUCH_COMMIT", `Cannot ${action} ${commit}: the session has no commit yet`, {
    next: [{ mcp: "Apply a fix first: pth_apply_fix" }],
  });
}

/** Says whether it can be reverted, and which snapshot of the environment as it is now goes with it. */
async function checkRevert(
  live: SessionResources,
  { commit: name }: { commit: string },
): Promise<{ commit: string; snapshot?: string; lostSnapshot: boolean }> {
  const { commit } = await planRevert(existingBranch(live, name), name);
  const gate = live.snapshots.beforeFixes.get(commit);
  if (!gate) return { commit, lostSnapshot: false };
  const there = live.environment.current !== undefined && gate.environment === live.environment.count;
  return there ? { commit, snapshot: gate.snapshot, lostSnapshot: false } : { commit, lostSnapshot: true };
}

async function revert(live: SessionResources, { commit }: { commit: string }): Promise<FixRecord> {
  const record = await revertFix(existingBranch(live, commit), commit);
  live.code.line.add(record.commit);
  return record;
}

async function history(live: SessionResources, query: FixQuery): Promise<FixHistory> {
  const branch = branchOf(live.code.source!);
  if (!branch) return { records: [], total: 0, patterns: { oscillating: [], repeated: [] } };
  const all = await readHistory(branch);
  return {
    records: queryHistory(all, query),
    total: all.length,
    patterns: await findPatterns(branch, all),
  };
}

async function diff(live: SessionResources, options: DiffOptions): Promise<SessionDiff | undefined> {
  const branch = branchOf(live.code.source!);
  return branch && await diffSession(branch, options);
}

/** One commit with its change. @throws {PthError} `NO_SUCH_COMMIT` */
async function show(
  live: SessionResources,
  { commit }: { commit?: string },
): Promise<{ fix: FixRecord; diff: string }> {
  return live.secrets.redact.value(
    await showCommit(existingBranch(live, commit ?? "the latest fix", "show"), commit),
  );
}

/** Forgets a snapshot that was taken for a fix, by name or by the fix's commit. */
async function dropSnapshot(
  live: SessionResources,
  { commit, snapshot }: { commit?: string; snapshot?: string },
): Promise<{ dropped: boolean }> {
  const gate = commit === undefined ? undefined : live.snapshots.beforeFixes.get(commit);
  if (commit !== undefined) live.snapshots.beforeFixes.delete(commit);
  const name = snapshot ?? gate?.snapshot;
  const gone = !live.environment.current ||
    (gate !== undefined && gate.environment !== live.environment.count);
  if (name === undefined || gone) return { dropped: false };
  const { runtime, info } = live.environment.require();
  await runtime.dropSnapshot(info.handle, name);
  live.snapshots.taken.delete(name);
  return { dropped: true };
}

/** After a rollback: those of the fix that was taken back and of all later ones are of a system that there is no more. */
async function dropSnapshotsSince(live: SessionResources, { commit }: { commit: string }): Promise<void> {
  const commits = [...live.snapshots.beforeFixes.keys()];
  const first = commits.indexOf(commit);
  for (const later of first === -1 ? [] : commits.slice(first)) await dropSnapshot(live, { commit: later });
}

/** Once all tests pass, nothing is rolled back to them. */
async function dropSnapshots(live: SessionResources): Promise<void> {
  for (const commit of [...live.snapshots.beforeFixes.keys()]) await dropSnapshot(live, { commit });
}

export const fixWork = {
  check_fix: check,
  apply_fix: apply,
  check_revert: checkRevert,
  revert_fix: revert,
  fix_history: history,
  diff_session: diff,
  show_fix: show,
  drop_fix_snapshot: dropSnapshot,
  drop_fix_snapshots: dropSnapshots,
  drop_fix_snapshots_since: dropSnapshotsSince,
};
