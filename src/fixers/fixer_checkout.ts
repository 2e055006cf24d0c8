/**
 * Checkout in which a fixer works, next to the session's worktree: no plugin sees it, and only what `changesIn`
 * finds reaches the session.
 *
 * The checkout's `.git` is a small repository, made again for each root cause, so that a fixer can use git: its
 * objects are those of the session's repository, read and not written. PTH itself never trusts it: it compares
 * by the session's own repository, with an index outside of the checkout.
 */
import { basename, dirname, join, resolve } from "node:path";
import { PthError } from "../core/errors.ts";
import { defaultExcludes } from "../git/make_repository.ts";
import {
  branchGit,
  branchOutput,
  checkOnBranch,
  type SessionBranch,
  worktreeFiles,
} from "../git/session_branch.ts";
import { type ConfinedFolder, openConfined, type PathInfo } from "../platform/confined/open_confined.ts";
import { chmod, mkdir, pathExists, removeIfExists } from "../platform/files.ts";
import { nulSeparated } from "../git/git.ts";
import { lockFile } from "../registry/lock.ts";
import type { SessionRegister } from "../registry/register.ts";
import { type FixerChange, fixerFileState, isChanged } from "./edits_of.ts";

interface FixerResult {
  changes: FixerChange[];
  /** The fixer committed or checked out something. */
  committed: boolean;
}

/**
 * The checkout with the files of the session's worktree as they are now; dependencies that a fixer installed stay.
 * @throws {PthError} `GIT_FAILED`
 */
export async function openCheckout(
  branch: SessionBranch,
  register: Pick<SessionRegister, "willCreate" | "created">,
  signal?: AbortSignal,
): Promise<FixerCheckout> {
  await checkOnBranch(branch);
  const top = fixerFolder(branch.worktree);
  if (!await pathExists(top)) await makeFolder(top, register);
  const head = (await branchOutput(branch, ["rev-parse", "HEAD"])).trim();
  const files = openConfined(join(top, "tree"));
  const checkout = {
    branch,
    files,
    head,
    brought: [],
    left: new Set<string>(),
    indexFile: join(top, "index"),
  };
  try {
    await reset(checkout, signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof PthError)) throw error;
    // A kill may have left it half-way: if it cannot be cleaned, it is made again, once.
    await removeIfExists(top);
    await makeFolder(top, register);
    await reset(checkout, signal);
  }
  const differing = await bring(checkout);
  await makeOwnGit(checkout);
  return { ...checkout, ...differing };
}

async function makeFolder(
  top: string,
  register: Pick<SessionRegister, "willCreate" | "created">,
): Promise<void> {
  await register.willCreate({ kind: "scratch", name: top });
  await mkdir(top, { recursive: true, mode: 0o700 });
  // A mask that the system applies takes bits away only; a folder that was there keeps its own.
  await chmod(top, 0o700);
  await mkdir(join(top, "tree"), { recursive: true });
  await register.created({ kind: "scratch", name: top });
}

/** Index that is copied for the fixer's own git, and that PTH's does not depend on. */
const plainIndex = ["core.splitIndex=false", "core.untrackedCache=false", "index.sparse=false"]
  .flatMap((setting) => ["-c", setting]);

/** Installed by a fixer for one root cause, of use for the next. */
const kept = ["node_modules/", ".venv/", "venv/", "target/"].flatMap((name) => ["-e", name]);

async function reset(checkout: FixerCheckout, signal?: AbortSignal): Promise<void> {
  const { branch, head } = checkout;
  const within = { ...apart(checkout), ...(signal === undefined ? {} : { signal }) };
  await checkout.files.remove(".git");
  await branchOutput(branch, [...plainIndex, "read-tree", "--reset", "-u", head], within);
  await branchOutput(branch, ["clean", "-ffdxq", ...kept], { ...within, literal: false });
}

const apart = ({ files, indexFile }: FixerCheckout) => ({ workTree: files.root, indexFile });

/** Copies uncommitted files of the session's worktree. Links are left out, so that no fixer follows them. */
async function bring({ branch, files }: FixerCheckout): Promise<Pick<FixerCheckout, "brought" | "left">> {
  const worktree = worktreeFiles(branch);
  const paths = [...await changedPaths(branch), ...await untrackedPaths(branch)];
  const brought: string[] = [];
  const left = new Set<string>();
  for (const path of paths) {
    const kind = await kindAt(worktree, path);
    if (kind === undefined || (kind === "file" && await kindAt(files, path) === "folder")) {
      await files.remove(path);
    }
    if (kind === "file") await files.copyFrom(worktree, path, path, { replace: true });
    if (kind === "file" || kind === undefined) brought.push(path);
    else left.add(path);
  }
  return { brought, left };
}

async function kindAt(files: ConfinedFolder, path: string): Promise<PathInfo["kind"] | undefined> {
  try {
    return (await files.stat(path))?.kind;
  } catch (error) {
    // A folder above it is a link.
    if (error instanceof PthError && error.code === "PATH_REFUSED") return "link";
    throw error;
  }
}

/** Finds what the fixer changed, by comparison with the session's worktree. @throws {PthError} `GIT_FAILED`, `FIXER_FAILED` */
export async function changesIn(checkout: FixerCheckout): Promise<FixerResult> {
  const { branch, files, brought, left } = checkout;
  const committed = await hasMoved(checkout);
  const tracked = await changedPaths(branch, apart(checkout));
  const fresh = await untrackedPaths(branch, apart(checkout));
  const replaced: string[] = [];
  for (const path of tracked) {
    // Where a folder took a tracked file's place, git shows nothing unless it is asked for it.
    if ((await fixerFileState(files, path)).kind === "folder") replaced.push(`${path}/`);
  }
  const within = replaced.length === 0 ? [] : await untrackedPaths(branch, apart(checkout), replaced);
  const worktree = worktreeFiles(branch);
  const changes: FixerChange[] = [];
  for (const path of new Set([...brought, ...tracked, ...fresh, ...within])) {
    if (left.has(path)) continue;
    changes.push({
      path,
      before: await fixerFileState(worktree, path),
      after: await fixerFileState(files, path),
    });
  }
  return { changes: changes.filter(isChanged), committed };
}

type Where = { workTree?: string; indexFile?: string };

const changedPaths = async (branch: SessionBranch, where: Where = {}): Promise<string[]> =>
  nulSeparated(
    await branchOutput(
      branch,
      ["diff", "--name-only", "--no-renames", "--no-ext-diff", "--ignore-submodules=all", "-z", "HEAD"],
      where,
    ),
  );

/** New files that git does not ignore; a repository within ends in "/". */
async function untrackedPaths(
  branch: SessionBranch,
  where: Where = {},
  within: readonly string[] = [],
): Promise<string[]> {
  const excluded = defaultExcludes.map((pattern) => `--exclude=${pattern}`);
  const list = ["ls-files", "--others", "--exclude-standard", ...excluded, "-z", "--", ...within];
  const paths = nulSeparated(await branchOutput(branch, list, where));
  return paths.filter((path) => !path.includes(lockFile));
}

/** Holds `tree`, the checkout, and `index`, PTH's own knowledge of it. `pth clean` finds it by the register and by its name. */
export const fixerFolder = (worktree: string): string => `${worktree}-fixer`;

/** Settings of the repository that say how files of the checkout are written, so that the fixer's git sees no difference. */
const carried = /^core\.(?:autocrlf|eol|filemode|symlinks|ignorecase|precomposeunicode)$/;

/** Written by hand: a user's templates and settings for new repositories have no part in it. */
async function makeOwnGit({ branch, files, head, indexFile }: FixerCheckout): Promise<void> {
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
async function hasMoved({ branch, files, head }: FixerCheckout): Promise<boolean> {
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

interface FixerCheckout {
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
