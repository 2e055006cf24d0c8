/** A fix: its edits checked, written and committed, or nothing of it (PTH design §5.5). */
import type { FixRecord, FixRequest } from "../../machines/model/fix.ts";
import { PthError } from "../errors.ts";
import { writeChanges } from "./apply_edits.ts";
import { applyPatch } from "./apply_patch.ts";
import { checkCommittable, commitFiles } from "./commit_files.ts";
import { readMessage, writeMessage } from "./commit_message.ts";
import type { Change } from "./edited_files.ts";
import { editsFailed, planEdits } from "./plan_edits.ts";
import { pluginFolder, type SessionBranch } from "./session_branch.ts";

/** What the fix would change, without changing it. @throws {PthError} `EDIT_FAILED`, `INVALID_INPUT`, `GIT_FAILED` */
export async function checkFix(branch: SessionBranch, { title, edits }: FixRequest): Promise<Change[]> {
  if (plainTitle(title) === "") {
    throw new PthError("INVALID_INPUT", "Cannot commit fix: it has no title", {
      next: ["Say in a few words what it does"],
    });
  }
  if (edits.length === 0) {
    throw new PthError("INVALID_INPUT", "Cannot apply fix: it has no edits");
  }
  const changes = await planEdits(
    pluginFolder(branch),
    edits,
    (files, patch) => applyPatch(branch, files, patch),
  );
  await checkCommittable(branch, changes.map(({ path }) => path));
  return changes;
}

/** @throws {PthError} `EDIT_FAILED`, `GIT_FAILED` …; the worktree and the branch are then as before */
export async function applyFix(branch: SessionBranch, request: FixRequest): Promise<FixRecord> {
  const changes = await checkFix(branch, request);
  const files = changes.map(({ path }) => path).sort();
  const message = writeMessage({
    ...request,
    type: "fix",
    title: plainTitle(request.title),
    tests: [...new Set(request.tests)],
    files,
  });
  const undo = await writeChanges(pluginFolder(branch), changes);
  try {
    const commit = await commitFiles(branch, files, message);
    if (commit === undefined) {
      throw editsFailed(["git sees no difference to what the branch holds"], request.edits.length);
    }
    return recordOf(commit, message);
  } catch (error) {
    await undo();
    throw error;
  }
}

/** A commit that was just made. */
export function recordOf(commit: string, message: string): FixRecord {
  const { category, iteration, distro, reverts, ...facts } = readMessage(message);
  return {
    ...facts,
    commit,
    at: new Date().toISOString(),
    ...(category === undefined ? {} : { category }),
    ...(iteration === undefined ? {} : { iteration }),
    ...(distro === undefined ? {} : { distro }),
    ...(reverts === undefined ? {} : { reverts }),
  };
}

/** Callers like to write the prefix that is added anyway. */
const plainTitle = (title: string): string => title.trim().replace(/^fix:\s*/i, "");
