/** A fix: its edits checked, written and committed, or nothing of it. */
import { Buffer } from "node:buffer";
import type { FixRecord, FixRequest } from "../../machines/model/fix.ts";
import { PthError } from "../core/errors.ts";
import { applyPatch } from "./apply_patch.ts";
import { checkCommittable, commitFiles } from "../git/commit_files.ts";
import { writeCommitMessage } from "../git/commit_message.ts";
import { type FileEdit, writeChanges } from "./edited_files.ts";
import type { FileState } from "../git/file_state.ts";
import { recordOf } from "../git/history.ts";
import { editsFailed, planEdits } from "./plan_edits.ts";
import { makeRedactor } from "../core/redact.ts";
import { branchGit, inWorktree, pluginFiles, type SessionBranch } from "../git/session_branch.ts";

/**
 * Plans a fix without applying it.
 * @param secrets values that must not get into git; what a file already contains is not checked
 * @throws {PthError} `EDIT_FAILED`, `INVALID_INPUT`, `GIT_FAILED`
 */
export async function checkFix(
  branch: SessionBranch,
  { title, edits }: FixRequest,
  secrets: readonly string[] = [],
): Promise<FileEdit[]> {
  if (plainTitle(title) === "") {
    throw new PthError("INVALID_INPUT", "Cannot commit fix: it has no title", {
      next: ["Say in a few words what it does"],
    });
  }
  if (edits.length === 0) {
    throw new PthError("INVALID_INPUT", "Cannot apply fix: it has no edits", {
      next: ["Give edits: [{ path, find, replace }], or a patch"],
    });
  }
  const changes = await planEdits(
    pluginFiles(branch),
    edits,
    (files, patch) => applyPatch(branch, files, patch),
  );
  await checkCommittable(branch, changes.map(({ path }) => path));
  await checkSecrets(branch, changes, secrets);
  return changes;
}

/**
 * @param secrets values that must not get into git
 * @throws {PthError} `EDIT_FAILED`, `GIT_FAILED` …; the worktree and the branch are then as before
 */
export async function applyFix(
  branch: SessionBranch,
  request: FixRequest,
  secrets: readonly string[] = [],
): Promise<FixRecord> {
  const changes = await checkFix(branch, request, secrets);
  const files = changes.map(({ path }) => path).sort();
  const message = makeRedactor(secrets).text(writeCommitMessage({
    ...request,
    type: "fix",
    title: plainTitle(request.title),
    tests: [...new Set(request.tests)],
    files,
  }));
  const undo = await writeChanges(pluginFiles(branch), changes);
  try {
    const commit = await commitFiles(branch, files, message);
    if (commit === undefined) {
      throw editsFailed(["git sees no difference to what the branch holds"], request.edits.length);
    }
    return { ...recordOf(commit, message), changed: await changedLines(branch, commit) };
  } catch (error) {
    await undo();
    throw error;
  }
}

/** Binary files count for nothing. */
async function changedLines(
  branch: SessionBranch,
  commit: string,
): Promise<{ added: number; removed: number }> {
  const { stdout } = await branchGit(branch, ["diff-tree", "--numstat", "--no-commit-id", "-r", commit]);
  const figures = stdout.split("\n").map((line) =>
    line.split("\t").slice(0, 2).map((text) => Number(text) || 0)
  );
  const sum = (column: 0 | 1) => figures.reduce((total, row) => total + (row[column] ?? 0), 0);
  return { added: sum(0), removed: sum(1) };
}

/**
 * Refuses changes that would commit a secret: git history cannot be redacted. Content that git already has is
 * not checked. @throws {PthError} `INVALID_INPUT`
 */
async function checkSecrets(
  branch: SessionBranch,
  changes: readonly FileEdit[],
  secrets: readonly string[],
): Promise<void> {
  if (secrets.length === 0) return;
  const { text: redact } = makeRedactor(secrets);
  const tells = (text: string) => redact(text) !== text;
  for (const { path, after } of changes) {
    if (!tells(textOf(after))) continue;
    // The file in the worktree may hold what no commit does.
    const held = await branchGit(branch, ["cat-file", "blob", `HEAD:${inWorktree(branch, path)}`]);
    if (held.code === 0 && tells(held.stdout)) continue;
    throw new PthError("INVALID_INPUT", `Cannot apply fix: ${path} would contain the value of a secret`, {
      next: ["Read the value from the server's environment variable instead"],
    });
  }
}

function textOf(state: FileState): string {
  if (state.kind === "link") return state.target;
  return state.kind === "file" ? Buffer.from(state.bytes).toString() : "";
}

/** Callers like to write the prefix that is added anyway. */
const plainTitle = (title: string): string => title.trim().replace(/^fix:\s*/i, "");
