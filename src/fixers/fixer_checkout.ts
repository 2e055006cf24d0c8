/**
 * A checkout of its own for fixers, beside the session's worktree: no plugin sees it, and nothing that happens in it
 * reaches the session but what `changesIn` finds.
 *
 * The checkout's `.git` is a small repository that is made anew for each root cause, so that a fixer can use git: the objects are
 * those of the session's repository, read and not written. PTH itself never believes it: it compares by the session's
 * own repository, with an index that lies apart.
 */
import { join } from "node:path";
import { PthError } from "../core/errors.ts";
import { defaultExcludes } from "../git/make_repository.ts";
import { branchOutput, checkOnBranch, type SessionBranch, worktreeFiles } from "../git/session_branch.ts";
import { type ConfinedFolder, openConfined, type PathInfo } from "../platform/confined/open_confined.ts";
import { chmod, mkdir, pathExists, removeIfExists } from "../platform/files.ts";
import { fixerFolder } from "./fixer_folder.ts";
import { nulSeparated } from "../git/git.ts";
import { lockFile } from "../registry/lock.ts";
import type { SessionRegister } from "../registry/register.ts";
import { type FixerChange, fixerFileState, isChanged } from "./fixer_change.ts";
import { type FixerCheckout, hasMoved, makeOwnGit } from "./make_own_git.ts";

export interface FixerResult {
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
    // A kill may have left it half-way: what does not become clean is made anew, once.
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

/** Brings in what the session's worktree holds and no commit does. Links are left: whoever made them, no fixer is to follow them. */
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
