/** Finds patterns in a history: changes that alternate, and changes that repeat. */
import { createHash } from "node:crypto";
import type { FixPatterns, FixRecord } from "../../machines/model/fix.ts";
import { branchOutput, inPlugin, type SessionBranch, sessionRange } from "../git/session_branch.ts";

/** Patches larger than this (lockfiles, generated code) are not compared. */
const largestLog = 64 * 1024 * 1024;

/** @param records newest first, as `readHistory` gives them */
export async function findPatterns(
  branch: SessionBranch,
  records: readonly FixRecord[],
): Promise<FixPatterns> {
  const fixes = new Set(records.filter(({ type }) => type === "fix").map(({ commit }) => commit));
  return {
    oscillating: findOscillations(records),
    repeated: fixes.size < 2 ? [] : repeated(await changesOf(branch), fixes),
  };
}

/**
 * Tests that needed a fix again after something else had changed one of the files that fixed them before (another
 * test's fix, or a revert): the commits from the first to the last.
 */
function findOscillations(newestFirst: readonly FixRecord[]): FixPatterns["oscillating"] {
  const records = newestFirst.toReversed();
  const tests = new Set(records.filter(({ type }) => type === "fix").flatMap((record) => record.tests));
  return [...tests].flatMap((test) => {
    const commits = backAndForth(records, test);
    return commits.length === 0 ? [] : [{ test, commits }];
  });
}

function backAndForth(records: readonly FixRecord[], test: string): string[] {
  const involved: FixRecord[] = [];
  let fixed: FixRecord[] = [];
  let disturbing: FixRecord[] = [];
  for (const record of records) {
    const isFix = record.type === "fix" && record.tests.includes(test);
    if (isFix && disturbing.length > 0) {
      involved.push(...fixed, ...disturbing, record);
      fixed = [record];
      disturbing = [];
    } else if (isFix) fixed.push(record);
    else if (fixed.some((fix) => disturbs(record, fix))) disturbing.push(record);
  }
  return [...new Set(involved.map(({ commit }) => commit))];
}

const disturbs = (record: FixRecord, fix: FixRecord): boolean =>
  record.reverts === fix.commit ||
  (record.type === "fix" && record.files.some((file) => fix.files.includes(file)));

interface FileChange {
  commit: string;
  file: string;
  /** Hash of the lines removed and added, wherever they stand. */
  hash: string;
}

/** Fixes that remove and add the same lines in the same file, oldest first. */
function repeated(changes: readonly FileChange[], fixes: ReadonlySet<string>): FixPatterns["repeated"] {
  const groups = new Map<string, { file: string; commits: string[] }>();
  for (const { commit, file, hash } of changes.toReversed()) {
    if (!fixes.has(commit)) continue;
    const key = `${hash}\0${file}`;
    const group = groups.get(key) ?? { file, commits: [] };
    group.commits.push(commit);
    groups.set(key, group);
  }
  return [...groups.values()].filter(({ commits }) => commits.length > 1);
}

/** Changes of each commit to each file, the newest first. */
async function changesOf(branch: SessionBranch): Promise<FileChange[]> {
  const plain = ["--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules=all"];
  const prefixes = ["--src-prefix=a/", "--dst-prefix=b/", "--unified=0", "--inter-hunk-context=0"];
  const log = [
    "log",
    "-z",
    "-p",
    "--no-show-signature",
    "--no-notes",
    "--format=%x00%H",
    ...plain,
    ...prefixes,
  ];
  const output = await branchOutput(branch, [...log, sessionRange(branch)], {
    maxBytes: largestLog,
  });
  let commit = "";
  return output.split("\0").flatMap((part) => {
    const [first = "", ...lines] = part.trimStart().split("\n");
    const isCommit = /^[0-9a-f]{40,64}$/.test(first);
    if (isCommit) commit = first;
    return readPatch(branch, commit, isCommit ? lines : [first, ...lines]);
  });
}

function readPatch(branch: SessionBranch, commit: string, lines: string[]): FileChange[] {
  const changes: FileChange[] = [];
  let file: string | undefined;
  let changed: string[] = [];
  const close = () => {
    // A change of brackets and blanks alone says nothing.
    if (file !== undefined && changed.some((line) => /\w/.test(line))) {
      const hash = createHash("sha1").update(changed.join("\n")).digest("hex");
      changes.push({ commit, file: inPlugin(branch, file), hash });
    }
    changed = [];
    file = undefined;
  };
  let inHunk = false;
  for (const line of lines) {
    if (line.startsWith("diff --git ")) {
      close();
      inHunk = false;
    } else if (line.startsWith("@@")) inHunk = true;
    else if (inHunk && /^[-+]/.test(line)) changed.push(line);
    else if (!inHunk && /^(---|\+\+\+) [ab]\//.test(line)) file = line.slice(6).split("\t")[0]!;
  }
  close();
  return changes;
}
