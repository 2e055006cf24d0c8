/** What was done on the session branch, read back from the trailers of its commits. */
import type { FixQuery, FixRecord } from "../../machines/model/fix.ts";
import { checkpointType } from "./session_commits.ts";
import { definedOnly } from "../core/values.ts";
import { readCommitMessage } from "./commit_message.ts";
import { branchOutput, type SessionBranch, sessionRange } from "./session_branch.ts";

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

/** What a commit's message tells of it. @param at ISO 8601; absent: it was just made */
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

/** Those that match every given field. A file also matches as a folder above it. */
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
