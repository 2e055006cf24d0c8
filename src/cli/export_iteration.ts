/** Describes the result of `pth iterate`: the branch, its fixes and files, and commands to review and merge it. */
import type { FileChange, FixRecord } from "../../machines/model/fix.ts";
import type { EndReport } from "../api/harness.ts";
import { cutToColumns } from "../core/columns.ts";
import { plainLine } from "../core/text.ts";
import { leftovers } from "./with_harness.ts";

/** Facts about the session branch, collected before the session ends and its worktree is removed. */
export interface BranchFacts {
  base?: string;
  repository?: string;
  files: FileChange[];
  fixes: FixRecord[];
}

const filesShown = 15;
const fixesShown = 30;

/** Whole lines; a branch that was not kept leaves nothing to say but what could not be removed. */
export function exportIteration(
  ended: EndReport,
  { base, repository, files, fixes }: BranchFacts,
  green: boolean,
): string {
  const { branch, branchKept, commits, report, pullRequest, notReported } = ended;
  const kept = branchKept && branch !== undefined && commits > 0;
  const where = ended.repository ?? repository;
  // A package has no checkout: PTH keeps its branches in a bare repository, where nothing can be merged.
  const isBare = where?.endsWith(".git") === true;
  const take = isBare ? "clone it" : "merge it";
  const git = where === undefined ? "git" : `git -C ${shellWord(where)}`;
  const lines = !kept ? ["No branch: nothing was committed."] : [
    `Branch ${branch}: ${commits} ${commits === 1 ? "commit" : "commits"}`,
    ...bounded(
      fixes.map(({ commit, title }) => `  ${commit.slice(0, 10)} ${cutToColumns(plainLine(title), 66)}`),
      fixesShown,
    ),
    ...(files.length === 0 ? [] : ["Files:", ...bounded(files.map(fileRow), filesShown)]),
    ...(report === undefined ? [] : [`Report: ${report} on the branch`]),
    ...(pullRequest === undefined ? [] : [`Text for a pull request: ${pullRequest.path} on the branch`]),
    ...(notReported === undefined ? [] : [`No report: ${plainLine(notReported)}`]),
    green ? `To review it, and to ${take}:` : `To review it (tests still fail: review before you ${take}):`,
    ...(base === undefined ? [] : [`  ${git} diff ${base.slice(0, 10)}...${branch}`]),
    ...(report === undefined ? [] : [`  ${git} show ${shellWord(`${branch}:${report}`)}`]),
    isBare ? `  git clone --branch ${branch} ${shellWord(where)}` : `  ${git} merge ${branch}`,
    ...(green ? [] : [
      "To resume with the same or another fixer:",
      `  pth iterate${where === undefined ? "" : ` ${shellWord(where)}`} --fixer "…" --resume ${branch}`,
    ]),
  ];
  return [...lines, ...leftovers(ended)].map((line) => `${line}\n`).join("");
}

const fileRow = ({ path, from, added, removed }: FileChange): string =>
  `  ${from === undefined ? "" : `${from} → `}${path} (${
    added === undefined ? "binary" : `+${added} −${removed ?? 0}`
  })`;

const bounded = (rows: readonly string[], most: number): string[] =>
  rows.length <= most ? [...rows] : [...rows.slice(0, most), `  … ${rows.length - most} more`];

const shellWord = (text: string): string =>
  /^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
