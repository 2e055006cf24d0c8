/** A three-way merge in an index and a folder of its own: with a conflict nothing has been touched. */
import { join } from "node:path";
import { PthError } from "../core/errors.ts";
import { makeTempDir, mkdir, readTextIfExists, removeIfExists } from "../platform/files.ts";
import { nulSeparated } from "../git/git.ts";
import { branchGit, branchOutput, inPlugin, type SessionBranch } from "../git/session_branch.ts";

interface MergeStep {
  commit: string;
  parent: string;
  /** Commit that the step is to be taken back from. */
  head: string;
}

interface MergeConflict {
  path: string;
  /** The places that do not merge, each with lines around it. */
  hunks: string[];
}

/** The tree of `head` with the step from `parent` to `commit` taken back. @throws {PthError} `REVERT_CONFLICT` */
export async function mergeBackwards(branch: SessionBranch, step: MergeStep): Promise<string> {
  const folder = await makeTempDir({ prefix: "pth-revert-" });
  const apart = { indexFile: join(folder, "index"), workTree: join(folder, "tree") };
  try {
    await mkdir(apart.workTree);
    await branchOutput(
      branch,
      ["read-tree", "-i", "-m", "--aggressive", step.commit, step.head, step.parent],
      apart,
    );
    // Merges what both sides changed; conflicts stay unmerged in the index, with their marks in the folder.
    await branchGit(branch, ["merge-index", "-o", "-q", "git-merge-one-file", "-a"], apart);
    const unmerged = nulSeparated(await branchOutput(branch, ["ls-files", "--unmerged", "-z"], apart));
    const paths = [...new Set(unmerged.map((entry) => entry.slice(entry.indexOf("\t") + 1)))];
    if (paths.length > 0) throw await conflictError(branch, step, paths, apart.workTree);
    return (await branchOutput(branch, ["write-tree"], apart)).trim();
  } finally {
    await removeIfExists(folder);
  }
}

async function conflictError(
  branch: SessionBranch,
  { commit }: MergeStep,
  paths: string[],
  merged: string,
): Promise<PthError> {
  const conflicts = await Promise.all(paths.map(async (path): Promise<MergeConflict> => ({
    path: inPlugin(branch, path),
    hunks: hunksIn(await readTextIfExists(join(merged, path)) ?? ""),
  })));
  const log = ["log", "--no-show-signature", "--format=%h %s", `${commit}..HEAD`, "--", ...paths];
  const laterCommits = (await branchOutput(branch, log)).split("\n").filter((line) => line !== "");
  const files = conflicts.map(({ path }) => path).join(", ");
  return new PthError(
    "REVERT_CONFLICT",
    `Cannot revert ${commit.slice(0, 10)}: later changes of ${files} conflict; nothing was changed`,
    {
      output: [
        ...conflicts.map(({ path, hunks }) => `${path}:\n${hunks.join("\n…\n")}`),
        ["Later commits of these files:", ...laterCommits].join("\n"),
      ].join("\n\n"),
      commit,
      files: conflicts.map(({ path }) => path),
      conflicts,
      laterCommits,
      next: [
        { mcp: "Revert the later commits first, newest first (pth_revert_fix)" },
        { mcp: "Or bring the old text back with pth_apply_fix" },
      ],
    },
  );
}

/** Lines shown before and after a conflict. */
const around = 3;
/** More would bury the next steps. */
const mostLines = 60;

function hunksIn(text: string): string[] {
  const lines = text.split(/\r?\n/);
  const hunks: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    if (!lines[at]!.startsWith("<<<<<<< ")) continue;
    const end = lines.findIndex((line, index) => index > at && line.startsWith(">>>>>>> "));
    if (end === -1) break;
    const from = Math.max(0, at - around);
    const hunk = lines.slice(from, Math.min(end + 1 + around, from + mostLines)).map(named);
    hunks.push([`@@ line ${from + 1} @@`, ...hunk].join("\n"));
    at = end;
  }
  return hunks.length > 0 ? hunks : ["one side changed what the other removed, or the file is binary"];
}

const named = (line: string): string =>
  line.replace(/^<<<<<<< .*/, "<<<<<<< now").replace(/^>>>>>>> .*/, ">>>>>>> before the fix");
