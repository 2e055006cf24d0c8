/** Makes the copy of a plugin that a session works on; the author's own folder stays as it is. */
import { join } from "node:path";
import type { SessionNote, SessionSource, SessionTarget } from "../../machines/model/session.ts";
import { PthError } from "../core/errors.ts";
import { isNoSpace, pathExists, writeTextFile } from "../platform/files.ts";
import { worktreeDir } from "../platform/host.ts";
import { readIdentity } from "../plugin/package_json.ts";
import { hostFolder } from "../plugin/readable_folder.ts";
import { hasGit } from "../git/git.ts";
import { takeLock } from "../registry/lock.ts";
import { findOrphans, orphanText } from "./orphans.ts";
import type { SessionRegister } from "../registry/register.ts";
import { removeSource } from "./remove_source.ts";
import {
  findRepository,
  gitDirOf,
  holdsFolder,
  type Repository,
  uncommittedPaths,
} from "../git/repository.ts";
import { copyPlugin, makeEmpty, packageJsonFor } from "./copy_plugin.ts";
import { type ParsedTarget, parseTarget } from "./parse_target.ts";
import { addWorktree, copySubmodules, copyUncommitted, freeNames, noteUncommitted } from "../git/worktree.ts";
import { type Frontend, nextStepsFor } from "../core/next_step.ts";
import { checkBranchName, sessionBranchName } from "../git/session_branch.ts";
import type { NamedDependency } from "../plugin/dependency_names.ts";
import { removeTree } from "../platform/remove_tree.ts";

export interface PrepareOptions {
  sessionId: string;
  /** `run`: the working tree as it stands; `session`: HEAD. */
  mode: "run" | "session";
  register: SessionRegister;
  /** Take over a lock whose owner is alive. */
  force?: boolean;
  /** Name of the session branch, where the user wants another than PTH's own. */
  branch?: string;
  /** Makes uncommitted changes the first commit of a session; without it they stay out. Paths are as git names them. */
  commitUncommitted?: (source: SessionSource, paths: string[]) => Promise<unknown>;
  signal?: AbortSignal;
  /** Receives the current step, for the progress line. */
  onStep?: (message: string) => void;
}

/**
 * A worktree on a session branch for a folder with git; a scratch folder for anything else.
 * On a failure or an abort nothing is left: no worktree, branch, folder or lock.
 * @throws {PthError} `BRANCH_EXISTS`, `TARGET_NOT_FOUND`, `INVALID_INPUT`, `SESSION_LOCKED`, `WORKTREE_FAILED`, `GIT_FAILED`, `DISK_FULL`
 */
export async function prepareSource(target: SessionTarget, options: PrepareOptions): Promise<SessionSource> {
  const parsed = await parseTarget(target);
  options.signal?.throwIfAborted();
  const source: SessionSource = {
    sessionId: options.sessionId,
    ...await identityOf(parsed, target),
    source: target.target ?? target.command?.join(" ") ?? target.url ?? "",
    worktree: await freeFolder(join(worktreeDir(), `pth-worktree-${options.sessionId}`)),
    subfolder: "",
    notes: [],
  };
  try {
    if (parsed.kind === "folder") {
      await prepareFolder(source, parsed.path, { ...options, beside: target.beside === true });
    } else await prepareScratch(source, parsed, options);
    return source;
  } catch (error) {
    const { leftBehind } = await removeSource(source, { register: options.register });
    throw explained(error, leftBehind);
  }
}

async function prepareFolder(
  source: SessionSource,
  folder: string,
  options: PrepareOptions & { beside: boolean },
): Promise<void> {
  const repository = await usableRepository(source, folder, options);
  if (repository) await nameBranch(source, repository, options.branch);
  else if (options.branch) source.notes.push(`There is no repository for a branch ${options.branch}.`);
  source.folder = folder;
  if (!options.beside) await lock(source, folder, options);
  if (options.mode === "session") source.notes.push(...await orphanNotes(folder, repository));
  if (repository && await prepareWorktree(source, repository, options)) return;
  await registered(options.register, { kind: "scratch", name: source.worktree }, async () => {
    options.onStep?.(`copying ${folder}`);
    await makeEmpty(source.worktree);
    const onProgress = (files: number) => options.onStep?.(`copied ${files} files`);
    await copyPlugin(folder, source.worktree, { onProgress, ...signalOf(options) });
  });
}

/** Tells what sessions that were cut short left of this plugin. */
async function orphanNotes(folder: string, repository: Repository | undefined): Promise<SessionNote[]> {
  const orphans = await findOrphans({ folder, ...(repository ? { top: repository.top } : {}) });
  return orphans.map(orphanText).map(({ message, next }) => {
    const on = (face: Frontend) => `There is ${message}. ${nextStepsFor(face, next).join(". ")}.`;
    return { terminal: on("terminal"), mcp: on("mcp") };
  });
}

/** The repository if a worktree of it would hold the plugin; otherwise a note says why not. */
async function usableRepository(
  source: SessionSource,
  folder: string,
  options: PrepareOptions,
): Promise<Repository | undefined> {
  if (!await hasGit()) {
    if (await pathExists(join(folder, ".git"))) {
      source.notes.push("A copy without a branch: git is not installed here.");
    }
    return undefined;
  }
  const found = await findRepository(folder, options.signal);
  if (!("top" in found)) {
    if (found.reason) source.notes.push(`A copy without a branch: ${found.reason}.`);
    return undefined;
  }
  if (await holdsFolder(found, takesAll(options))) return found;
  source.notes.push("A copy without a branch: the folder is not part of the repository around it.");
  return undefined;
}

async function nameBranch(source: SessionSource, repository: Repository, wanted?: string): Promise<void> {
  if (wanted !== undefined) await checkBranchName(repository, wanted);
  const { branch: free, worktree } = await freeNames(repository, sessionBranchName(source), source.worktree);
  const { top, subfolder, head } = repository;
  Object.assign(source, { branch: wanted ?? free, worktree, repository: top, subfolder, base: head });
}

/** False when the repository is read-only: the caller then makes a copy. */
async function prepareWorktree(
  source: SessionSource,
  repository: Repository,
  options: PrepareOptions,
): Promise<boolean> {
  const { register, onStep, sessionId } = options;
  const { worktree, branch } = source as SessionSource & { branch: string };
  const facts = { repository: repository.top, base: repository.head };
  onStep?.(`making worktree ${worktree}`);
  await register.willCreate({ kind: "branch", name: branch, ...facts });
  await register.willCreate({ kind: "worktree", name: worktree, ...facts });
  try {
    await addWorktree(repository, worktree, branch, { sessionId, ...signalOf(options) });
  } catch (error) {
    if (!(error instanceof PthError) || error.context.readOnly !== true) throw error;
    await fallBack(source, register, error);
    return false;
  }
  source.gitDir = await gitDirOf(worktree);
  const bring = takesAll(options) && !repository.bare ? copyUncommitted : noteUncommitted;
  source.notes.push(...await copySubmodules(repository, worktree), ...await bring(repository, worktree));
  await register.created({ kind: "worktree", name: worktree });
  const paths = options.commitUncommitted ? await uncommittedPaths(repository) : [];
  if (paths.length > 0) await options.commitUncommitted?.(source, paths);
  return true;
}

const takesAll = ({ mode, commitUncommitted }: PrepareOptions): boolean =>
  mode === "run" || commitUncommitted !== undefined;

async function fallBack(source: SessionSource, register: SessionRegister, error: PthError): Promise<void> {
  await removeSource(source, { register, keepLock: true });
  for (const key of ["branch", "repository", "base"] as const) delete source[key];
  source.subfolder = "";
  const words = error.context.output?.trim().split("\n").at(-1)?.replace(/^fatal: /, "");
  source.notes.push(`A copy without a branch: the repository cannot be written (${words}).`);
}

async function lock(source: SessionSource, folder: string, options: PrepareOptions): Promise<void> {
  await options.register.willCreate({ kind: "lock", name: folder });
  const { sessionId, force = false } = options;
  const branch = source.branch === undefined ? {} : { branch: source.branch };
  source.notes.push(...(await takeLock(folder, { sessionId, force, ...branch })).notes);
}

async function prepareScratch(
  source: SessionSource,
  parsed: Exclude<ParsedTarget, { kind: "folder" }>,
  { register }: PrepareOptions,
): Promise<void> {
  await registered(register, { kind: "scratch", name: source.worktree }, async () => {
    await makeEmpty(source.worktree);
    if (parsed.kind === "empty") return;
    await writeTextFile(
      join(source.worktree, "package.json"),
      packageJsonFor(parsed.package, parsed.version),
    );
  });
}

async function registered(
  register: SessionRegister,
  entry: { kind: string; name: string },
  make: () => Promise<void>,
): Promise<void> {
  await register.willCreate(entry);
  await make();
  await register.created(entry);
}

async function identityOf(
  parsed: ParsedTarget,
  target: SessionTarget,
): Promise<{ name: string; version?: string }> {
  if (parsed.kind === "folder") return await readIdentity(hostFolder(parsed.path));
  if (parsed.kind === "npm") return { name: parsed.package };
  return { name: target.command?.at(-1)?.split("/").at(-1) ?? "server" };
}

async function freeFolder(wanted: string): Promise<string> {
  try {
    for (let number = 1;; number++) {
      const folder = number === 1 ? wanted : `${wanted}-${number}`;
      if (!await pathExists(folder)) return folder;
    }
  } catch (error) {
    throw explained(error, []);
  }
}

const signalOf = ({ signal }: PrepareOptions) => (signal === undefined ? {} : { signal });

function explained(error: unknown, leftBehind: string[]): unknown {
  const { code, message } = error as { code?: string; message?: string };
  if (isNoSpace(error)) {
    return new PthError("DISK_FULL", `Cannot copy the plugin: ${message}`, {
      next: ["Free space, or set PTH_WORKTREE_DIR to a folder on another disk"],
      leftBehind,
    }, { cause: error });
  }
  if (error instanceof PthError) {
    if (leftBehind.length > 0) error.context.leftBehind = leftBehind;
    return error;
  }
  if (!code?.startsWith("E")) return error;
  return new PthError("WORKTREE_FAILED", `Cannot copy the plugin: ${message}`, {
    next: [
      "See that the plugin's files can be read, and the folder for worktrees (PTH_WORKTREE_DIR) written",
    ],
    leftBehind,
  }, { cause: error });
}

interface DependencyOptions {
  sessionId: string;
  register: SessionRegister;
  signal?: AbortSignal;
}

/**
 * A copy of the working tree as it is now, in place of one that was made before.
 * @throws {PthError} `TARGET_NOT_FOUND`, `INVALID_INPUT`
 */
export async function prepareDependency(
  { name, source }: NamedDependency,
  { sessionId, register, signal }: DependencyOptions,
): Promise<SessionSource> {
  const parsed = await parseTarget({ target: source });
  const worktree = join(worktreeDir(), `pth-worktree-${sessionId}-${name}`);
  await register.willCreate({ kind: "scratch", name: worktree });
  await removeTree(worktree);
  await makeEmpty(worktree);
  if (parsed.kind === "npm") {
    await writeTextFile(join(worktree, "package.json"), packageJsonFor(parsed.package, parsed.version));
  } else if (parsed.kind === "folder") {
    await copyPlugin(parsed.path, worktree, signal === undefined ? {} : { signal });
  }
  await register.created({ kind: "scratch", name: worktree });
  const identity = parsed.kind === "npm"
    ? { name: parsed.package }
    : await readIdentity(hostFolder(worktree));
  return { sessionId, ...identity, source, worktree, subfolder: "", notes: [] };
}

/** @returns what could not be removed */
export async function removeDependency(worktree: string, register: SessionRegister): Promise<string[]> {
  const left = await removeTree(worktree);
  if (!await pathExists(worktree)) await register.removed({ kind: "scratch", name: worktree });
  return left;
}
