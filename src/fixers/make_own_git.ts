/** The repository that a fixer finds in its checkout: thrown away afterwards, and never believed. */
import { basename, dirname, resolve } from "node:path";
import { PthError } from "../core/errors.ts";
import { branchGit, branchOutput, type SessionBranch } from "../git/session_branch.ts";
import { type ConfinedFolder, openConfined } from "../platform/confined/open_confined.ts";
/** Settings of the repository that say how files of the checkout are written, so that the fixer's git sees no difference. */
const carried = /^core\.(?:autocrlf|eol|filemode|symlinks|ignorecase|precomposeunicode)$/;

/** Written by hand: a user's templates and settings for new repositories have no part in it. */
export async function makeOwnGit({ branch, files, head, indexFile }: FixerCheckout): Promise<void> {
  const shown = ["rev-parse", "--show-object-format", "--git-path", "objects", "--git-path", "shallow"];
  const [format = "sha1", objects = "", shallow = ""] = (await branchOutput(branch, shown)).split("\n");
  const alternates = resolve(branch.worktree, objects);
  await files.write(".git/HEAD", `ref: refs/heads/${branch.branch}\n`);
  await files.write(".git/config", await configFor(branch, format));
  await files.write(`.git/${refOf(branch)}`, `${head}\n`);
  await files.write(".git/objects/info/alternates", `${alternates}\n`);
  const apart = openConfined(dirname(indexFile));
  await files.copyFrom(apart, basename(indexFile), ".git/index");
  // The history of a shallow repository ends where this file says.
  const boundary = resolve(branch.worktree, shallow);
  await files.copyFrom(openConfined(dirname(boundary)), basename(boundary), ".git/shallow");
}

async function configFor(branch: FixerCheckout["branch"], format: string): Promise<string> {
  const { stdout } = await branchGit(branch, ["config", "--list", "-z"]);
  const settings = stdout.split("\0").flatMap((entry) => {
    const [name = "", value = ""] = entry.split("\n");
    return carried.test(name) && /^\w*$/.test(value) ? [`\t${name.slice("core.".length)} = ${value}\n`] : [];
  });
  const isNew = format !== "sha1";
  return [
    `[core]\n\trepositoryformatversion = ${isNew ? 1 : 0}\n\tbare = false\n`,
    ...new Set(settings),
    "[gc]\n\tauto = 0\n",
    ...(isNew ? [`[extensions]\n\tobjectFormat = ${format}\n`] : []),
  ].join("");
}

/** Whether the branch or HEAD is not what it was. Read as files: no git believes what a fixer may have written there. */
export async function hasMoved({ branch, files, head }: FixerCheckout): Promise<boolean> {
  try {
    return await files.readText(".git/HEAD") !== `ref: refs/heads/${branch.branch}\n` ||
      await files.readText(`.git/${refOf(branch)}`) !== `${head}\n`;
  } catch (error) {
    // A link in it, or in its place.
    if (error instanceof PthError && error.code === "PATH_REFUSED") return true;
    throw error;
  }
}

const refOf = ({ branch }: FixerCheckout["branch"]): string => `refs/heads/${branch}`;

export interface FixerCheckout {
  branch: SessionBranch;
  /** The top, as the worktree's. */
  files: ConfinedFolder;
  /** Commit that the session branch is at. */
  head: string;
  /** Files that differed from the branch in the session's worktree already. */
  brought: readonly string[];
  /** Files that are not brought: the branch's state stands in their place, and no change of them counts. */
  left: ReadonlySet<string>;
  indexFile: string;
}
