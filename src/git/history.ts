/** Reads the history of the session branch from the trailers of its commits. */
import type { FixQuery, FixRecord } from "../../machines/model/fix.ts";
import { definedOnly } from "../core/values.ts";
import { readCommitMessage } from "./commit_message.ts";
import { branchOutput, checkpointType, type SessionBranch, sessionRange } from "./session_branch.ts";
import { PthError } from "../core/errors.ts";

const log = ["log", "-z", "--no-color", "--no-decorate", "--no-show-signature", "--no-notes"];

/** Every commit since the branch began, the newest first, without checkpoints. */
export async function readHistory(branch: SessionBranch): Promise<FixRecord[]> {
  const format = ["--encoding=UTF-8", "--format=%H%n%cI%n%B"];
  const output = await branchOutput(branch, [...log, ...format, sessionRange(branch)]);
  const records = output.split("\0").filter((entry) => entry.trim() !== "").map(parse);
  return markReverted(records).filter(({ type }) => type !== checkpointType);
}

/** Number of the latest iteration that was saved when it ended; 0 where none was. */
export async function lastSavedIteration(branch: SessionBranch): Promise<number> {
  const output = await branchOutput(branch, [
    ...log,
    "--grep=^PTH-Type: state-checkpoint$",
    "--format=%(trailers:key=PTH-Iteration,valueonly)",
    sessionRange(branch),
  ]);
  return Math.max(0, ...output.split("\0").map(Number).filter(Number.isInteger));
}

function parse(entry: string): FixRecord {
  const [commit = "", at = "", ...message] = entry.replace(/^\n/, "").split("\n");
  return recordOf(commit, message.join("\n"), at);
}

/** Record of one commit, read from its message. @param at ISO 8601; absent if it was just made */
export const recordOf = (commit: string, message: string, at = new Date().toISOString()): FixRecord =>
  definedOnly({ ...readCommitMessage(message), commit, at });

/** A commit is reverted by the newest revert of it that was not itself reverted. */
function markReverted(newestFirst: FixRecord[]): FixRecord[] {
  const revertedBy = new Map<string, string>();
  for (const { commit, reverts } of newestFirst) {
    if (reverts !== undefined && !revertedBy.has(commit) && !revertedBy.has(reverts)) {
      revertedBy.set(reverts, commit);
    }
  }
  return newestFirst.map((record) => {
    const by = revertedBy.get(record.commit);
    return by === undefined ? record : { ...record, revertedBy: by };
  });
}

/** Filters records by every given field. A path also matches all files below it. */
export function queryHistory(records: readonly FixRecord[], query: FixQuery): FixRecord[] {
  const { test, category, file, iteration } = query;
  const path = file?.replace(/^\.\//, "").replace(/\/$/, "");
  return records.filter((record) =>
    (test === undefined || record.tests.includes(test)) &&
    (category === undefined || record.category === category) &&
    (path === undefined || record.files.some((each) => each === path || each.startsWith(`${path}/`))) &&
    (iteration === undefined || record.iteration === iteration)
  );
}

const format = ["--no-color", "--no-ext-diff", "--no-textconv", "--find-renames", "--format="];

/**
 * @param name the commit's id or its beginning; absent: the newest fix
 * @throws {PthError} `NO_SUCH_COMMIT`, `GIT_FAILED`
 */
export async function showCommit(
  branch: SessionBranch,
  name: string | undefined,
): Promise<{ fix: FixRecord; diff: string }> {
  const history = await readHistory(branch);
  const fix = name === undefined
    ? history.find(({ type }) => type === "fix") ?? history[0]
    : history.find(({ commit }) => name.length >= 4 && commit.startsWith(name.toLowerCase()));
  if (!fix) throw noSuchCommit(branch, name, history);
  const relative = branch.subfolder === "" ? [] : [`--relative=${branch.subfolder}/`];
  const prefixes = ["--src-prefix=a/", "--dst-prefix=b/"];
  const diff = await branchOutput(branch, ["show", ...format, ...prefixes, ...relative, fix.commit]);
  return { fix, diff };
}

function noSuchCommit(
  { branch }: SessionBranch,
  name: string | undefined,
  history: readonly FixRecord[],
): PthError {
  const state = history.length === 0 ? `${branch} holds no commit yet` : `${branch} holds no such commit`;
  const known = history.slice(0, 10).map(({ commit, title }) => `${commit.slice(0, 10)} ${title}`);
  return new PthError("NO_SUCH_COMMIT", `Cannot show ${name ?? "the latest fix"}: ${state}`, {
    next: known.length === 0
      ? [{ mcp: "Apply a fix first: pth_apply_fix" }]
      : [`Choose one of: ${known.join("; ")}`],
  });
}
