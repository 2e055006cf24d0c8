/**
 * Takes one commit's changes back in a commit of its own.
 *
 * The merge happens in an index and a folder of its own: with a conflict, neither worktree nor branch has been touched.
 */
import type { FixRecord } from "../../machines/model/fix.ts";
import { PthError } from "../core/errors.ts";
import { nulSeparated } from "../git/git.ts";
import { readCommitMessage, writeCommitMessage } from "../git/commit_message.ts";
import { recordOf } from "../git/history.ts";
import { commitIdentity, isLocked, withCommitErrors } from "../git/commit_files.ts";
import { mergeBackwards } from "./merge_backwards.ts";
import {
  branchGit,
  branchOutput,
  checkOnBranch,
  checkpointType,
  inPlugin,
  type SessionBranch,
  sessionRange,
  worktreeFiles,
} from "../git/session_branch.ts";

/** A revert that merges cleanly. */
interface PlannedRevert {
  commit: string;
  head: string;
  /** Tree of the branch without the commit's changes. */
  tree: string;
  /** Files that differ then, as git names them. */
  paths: string[];
  message: string;
}

/**
 * Finds out whether a commit can be reverted. Nothing is changed.
 * @throws {PthError} `NO_SUCH_COMMIT`, `REVERT_CONFLICT` with the files and hunks, `INVALID_INPUT`, `GIT_FAILED`,
 * `EDIT_FAILED` when uncommitted changes are in the way
 */
export async function planRevert(branch: SessionBranch, name: string): Promise<PlannedRevert> {
  await checkOnBranch(branch);
  const { commit, parent, message: original } = await findCommit(branch, name);
  if (readCommitMessage(original).type === checkpointType) {
    throw new PthError(
      "INVALID_INPUT",
      `Cannot revert ${short(commit)}: it is a checkpoint of PTH's own state`,
      {
        next: [{ mcp: "List the session's fixes: pth_get_fix_history({})" }],
      },
    );
  }
  const head = (await branchOutput(branch, ["rev-parse", "HEAD"])).trim();
  const tree = await mergeBackwards(branch, { commit, parent, head });
  if (tree === (await branchOutput(branch, ["rev-parse", `${head}^{tree}`])).trim()) {
    throw new PthError("INVALID_INPUT", `Cannot revert ${short(commit)}: its changes are already undone`, {
      next: [{ mcp: "See the history: pth_get_fix_history({})" }],
    });
  }
  // Files that only look changed (other times, other owners) must not be in the way.
  await branchGit(branch, ["update-index", "-q", "--refresh"]);
  const trial = await branchGit(branch, ["read-tree", "-m", "-u", "-n", head, tree]);
  if (trial.code !== 0) throw inTheWay(commit, trial.stderr);
  const list = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", head, tree];
  const paths = nulSeparated(await branchOutput(branch, list));
  const files = paths.map((path) => inPlugin(branch, path));
  const { tests, category, title } = readCommitMessage(original);
  const body = `This reverts commit ${commit}.`;
  return {
    commit,
    head,
    tree,
    paths,
    message: writeCommitMessage({ type: "revert", title, body, tests, category, files, reverts: commit }),
  };
}

/** @throws {PthError} as `planRevert`; nothing has changed then */
export async function revertFix(branch: SessionBranch, name: string): Promise<FixRecord> {
  const planned = await planRevert(branch, name);
  return await withCommitErrors(branch, () => commitRevert(branch, planned));
}

async function commitRevert(
  branch: SessionBranch,
  { commit, head, tree, paths, message }: PlannedRevert,
): Promise<FixRecord> {
  const made = ["commit-tree", "--no-gpg-sign", tree, "-p", head, "-F", "-"];
  const revert = (await branchOutput(branch, [...await commitIdentity(branch), ...made], { stdin: message }))
    .trim();
  try {
    const update = await branchGit(branch, ["read-tree", "-m", "-u", head, revert]);
    if (update.code !== 0) throw notUpdated(commit, update.stderr);
    const note = `revert: ${short(commit)}`;
    await branchOutput(branch, ["update-ref", "-m", note, `refs/heads/${branch.branch}`, revert, head]);
  } catch (error) {
    await putBack(branch, paths);
    throw error;
  }
  return recordOf(revert, message);
}

function notUpdated(commit: string, output: string): PthError {
  if (/would be overwritten|not uptodate|needs update/.test(output)) return inTheWay(commit, output);
  return new PthError(
    "GIT_FAILED",
    `Cannot run git read-tree: ${isLocked(output) ? "a lock is held" : "it failed"}`,
    {
      output,
    },
  );
}

/** Files as the branch has them. They were so before: uncommitted changes of them would have been in the way. */
async function putBack(branch: SessionBranch, paths: string[]): Promise<void> {
  await branchGit(branch, ["reset", "--quiet", "HEAD", "--", ...paths]);
  const known = nulSeparated(await branchOutput(branch, ["ls-files", "-z", "--", ...paths]));
  const files = worktreeFiles(branch);
  for (const path of paths.filter((path) => !known.includes(path))) {
    await files.remove(path);
    await files.removeEmptyParents(path);
  }
  await branchOutput(branch, ["checkout-index", "--force", "-z", "--stdin"], { stdin: known.join("\0") });
}

/** `HEAD` and `HEAD~2` count what people see in the history: checkpoints are passed over. */
async function fromNewest(branch: SessionBranch, steps: number): Promise<string | undefined> {
  const type = "%(trailers:key=PTH-Type,valueonly,separator=%x2C)";
  const log = ["log", "--no-color", "--no-show-signature", "--first-parent", `--format=%H ${type}`];
  const lines = (await branchOutput(branch, [...log, sessionRange(branch)])).split("\n");
  return lines.filter((line) => line !== "" && !line.endsWith(` ${checkpointType}`))[steps]?.split(" ")[0];
}

async function nameOf(branch: SessionBranch, given: string): Promise<string | undefined> {
  const fromHead = /^HEAD(?:~(\d*))?$/i.exec(given);
  if (!fromHead) return /^[0-9a-f]{4,64}$/i.test(given) ? given : undefined;
  const steps = fromHead[1] === undefined ? 0 : Number(fromHead[1] || 1);
  return await fromNewest(branch, steps);
}

async function findCommit(branch: SessionBranch, given: string) {
  const name = await nameOf(branch, given);
  const commit = name === undefined
    ? ""
    : (await branchGit(branch, ["rev-parse", "--verify", "--quiet", `${name}^{commit}`])).stdout.trim();
  const own = commit === "" ? "" : await branchOutput(branch, ["rev-list", sessionRange(branch), "--"]);
  if (commit === "" || !own.split("\n").includes(commit)) {
    const why = commit === "" ? "there is no such commit" : "it is not one of the session's own commits";
    throw new PthError("NO_SUCH_COMMIT", `Cannot revert ${given}: ${why}`, {
      next: [{ mcp: "List the session's commits: pth_get_fix_history({})" }],
    });
  }
  const shown = await branchOutput(branch, [
    "show",
    "-s",
    "--encoding=UTF-8",
    "--no-show-signature",
    "--format=%P%n%B",
    commit,
  ]);
  const [parents = "", ...message] = shown.split("\n");
  const [parent, ...more] = parents.split(" ");
  if (parent !== undefined && parent !== "" && more.length === 0) {
    return { commit, parent, message: message.join("\n") };
  }
  throw new PthError(
    "INVALID_INPUT",
    `Cannot revert ${given}: it is a merge, with more than one state before it`,
    { next: [{ mcp: "Put the old text back with a fix of its own: pth_apply_fix" }] },
  );
}

const short = (commit: string): string => commit.slice(0, 10);

const inTheWay = (commit: string, output: string): PthError =>
  new PthError("EDIT_FAILED", `Cannot revert ${short(commit)}: uncommitted changes are in the way`, {
    output,
    next: [{ mcp: "Commit them with pth_apply_fix, or undo them, and try again" }],
  });
