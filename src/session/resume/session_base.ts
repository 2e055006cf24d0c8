/** The commit that a session branch began at. */
import { git } from "../../git/git.ts";
import type { FoundBranch } from "./find_branch.ts";

/**
 * @param said what the session itself saved
 * @returns `guessed` where only the repository's HEAD could be compared with
 */
export async function sessionBase(
  found: FoundBranch,
  said: string | undefined,
): Promise<{ base: string; guessed: boolean }> {
  const registered = found.sessions.flatMap(({ entries }) => entries)
    .filter(({ kind, name }) => kind === "branch" && name === found.branch)
    .map(({ base }) => String(base));
  for (const base of [said, ...registered, await firstOf(found), await reflogStart(found)]) {
    if (base !== undefined && await isWithin(found, base)) return { base, guessed: false };
  }
  const { top } = found.repository;
  const shared = await git(top, ["merge-base", "HEAD", `refs/heads/${found.branch}`]);
  // Without anything in common all of the branch is the session's, but for its first commit.
  const base = shared.code === 0 ? shared.stdout.trim() : await rootOf(found);
  return { base, guessed: true };
}

/** A repository that PTH made begins with the plugin as it was. */
const firstOf = async (found: FoundBranch): Promise<string | undefined> =>
  found.own ? await rootOf(found) : undefined;

async function rootOf({ repository, branch }: FoundBranch): Promise<string> {
  const { stdout } = await git(repository.top, ["rev-list", "--max-parents=0", `refs/heads/${branch}`]);
  return stdout.trim().split("\n").at(-1)!;
}

/** PTH makes branches from a commit by its name; a branch taken from a remote says so. */
async function reflogStart({ repository, branch }: FoundBranch): Promise<string | undefined> {
  const { stdout } = await git(repository.top, [
    "reflog",
    "show",
    "--format=%H %gs",
    `refs/heads/${branch}`,
    "--",
  ]);
  const first = stdout.trim().split("\n").at(-1) ?? "";
  return /^([0-9a-f]{40,64}) branch: Created from \1$/.exec(first)?.[1];
}

const isWithin = async ({ repository, branch }: FoundBranch, commit: string): Promise<boolean> =>
  /^[0-9a-f]{40,64}$/.test(commit) &&
  (await git(repository.top, ["merge-base", "--is-ancestor", commit, `refs/heads/${branch}`])).code === 0;
