/** A new worktree for the branch of an interrupted session; what the dead session left on the host gives way. */
import { join } from "node:path";
import type { SessionSource } from "../../../machines/model/session.ts";
import { errorMessage } from "../../core/errors.ts";
import { mkdir, pathExists } from "../../platform/files.ts";
import { worktreeDir } from "../../platform/host.ts";
import { readIdentity } from "../../plugin/package_json.ts";
import { hostFolder } from "../../plugin/readable_folder.ts";
import { gitOutput } from "../../git/git.ts";
import { takeLock } from "../../registry/lock.ts";
import type { PrepareOptions } from "../prepare_source.ts";
import {
  appendRemoved,
  type RegisteredSession,
  type RegisterEntry,
  removeRegister,
} from "../../registry/register.ts";
import { removeSource } from "../remove_source.ts";
import { removeTree } from "../../platform/remove_tree.ts";
import { gitDirOf } from "../../git/repository.ts";
import { addWorktreeOf, copySubmodules, removeWorktree } from "../../git/worktree.ts";
import type { FoundSession } from "./find_session.ts";
import { type BranchOwner, findBranchOwners, waitForHelpers } from "./branch_owners.ts";
import { carryOver, type Salvaged, saveUncommittedWork } from "./save_uncommitted_work.ts";
import { fixerFolder } from "../../fixers/fixer_checkout.ts";

type ResumeOptions = Omit<PrepareOptions, "mode">;

/**
 * On a failure the branch, and what the dead session left, are as before.
 * @throws {PthError} `SESSION_LOCKED`, `INVALID_INPUT`, `WORKTREE_FAILED`, `GIT_FAILED`
 */
export async function resumeSource(found: FoundSession, options: ResumeOptions): Promise<SessionSource> {
  const { force = false, sessionId, register, onStep, signal } = options;
  const { holders, notes } = await findBranchOwners(found, force);
  const dead = found.sessions.filter(({ alive }) => !alive);
  onStep?.(`looking what is left of the session on ${found.branch}`);
  await waitForHelpers(dead, found);
  const source = begin(found, sessionId, notes);
  try {
    await lock(source, found, options);
    const saved = new Map<BranchOwner, Salvaged | undefined>();
    for (const holder of holders) saved.set(holder, await look(holder, found, source));
    signal?.throwIfAborted();
    await makeWorktree(source, found, options);
    Object.assign(source, await identityOf(found, source));
    await register.created({ kind: "worktree", name: source.worktree });
    await takeOver(saved, dead, found, source);
    return source;
  } catch (error) {
    await removeSource(source, { register, keepBranch: true });
    throw error;
  }
}

function begin(found: FoundSession, sessionId: string, notes: string[]): SessionSource {
  const { branch, repository, base, subfolder, folder, target } = found;
  return {
    sessionId,
    name: "",
    source: target.target ?? target.command?.join(" ") ?? target.url ?? "",
    worktree: join(worktreeDir(), `pth-worktree-${sessionId}`),
    subfolder,
    branch,
    repository: repository.top,
    ...(folder === undefined ? {} : { folder }),
    base,
    resumed: true,
    notes,
  };
}

async function lock(
  source: SessionSource,
  { folder, branch }: FoundSession,
  { register, sessionId, force = false }: ResumeOptions,
): Promise<void> {
  if (folder === undefined) return;
  await register.willCreate({ kind: "lock", name: folder });
  source.notes.push(...(await takeLock(folder, { sessionId, branch, force })).notes);
}

/** Undefined where the folder cannot be looked into: it then stays where it is. */
async function look(
  { worktree, gitDir }: BranchOwner,
  { branch, subfolder }: FoundSession,
  source: SessionSource,
): Promise<Salvaged | undefined> {
  if (!await pathExists(worktree)) return { files: [], tests: [] };
  try {
    if (gitDir === undefined) throw new Error("git does not know it any more");
    return await saveUncommittedWork({ worktree, gitDir }, {
      branch,
      subfolder,
      sessionId: source.sessionId,
    });
  } catch (error) {
    source.notes.push(
      `The folder of the dead session stays where it is, ${worktree}: what it holds could not be saved ` +
        `(${errorMessage(error)}).`,
    );
    return undefined;
  }
}

async function makeWorktree(
  source: SessionSource,
  found: FoundSession,
  options: ResumeOptions,
): Promise<void> {
  const { repository, branch, base, own } = found;
  const { register, onStep, signal, sessionId } = options;
  const { worktree } = source;
  onStep?.(`making worktree ${worktree}`);
  await register.willCreate({
    kind: "branch",
    name: branch,
    repository: repository.top,
    base,
    resumed: true,
  });
  if (own) {
    await register.willCreate({ kind: "scratch", name: worktree });
    await mkdir(worktree, { recursive: true });
    source.gitDir = repository.top;
    const within = { gitDir: repository.top, workTree: worktree, sessionId };
    await gitOutput(worktree, ["symbolic-ref", "HEAD", `refs/heads/${branch}`], within);
    await gitOutput(worktree, ["read-tree", "HEAD"], within);
    await gitOutput(worktree, ["checkout-index", "--all", "--force", "--quiet"], within);
    return;
  }
  await register.willCreate({ kind: "worktree", name: worktree, repository: repository.top, base });
  await addWorktreeOf(repository, worktree, branch, {
    sessionId,
    ...(signal === undefined ? {} : { signal }),
  });
  source.gitDir = await gitDirOf(worktree);
  source.notes.push(...await copySubmodules(repository, worktree));
}

/** From here on the new worktree holds what the dead session's did: errors are reported, and nothing is undone. */
async function takeOver(
  saved: ReadonlyMap<BranchOwner, Salvaged | undefined>,
  dead: readonly RegisteredSession[],
  found: FoundSession,
  source: SessionSource,
): Promise<void> {
  try {
    for (const [holder, salvaged] of saved) await takeFolder(holder, salvaged, found, source);
    source.notes.push(...await strikeOff(dead, found, [...saved.keys()]));
  } catch (error) {
    source.notes.push(
      `Of the dead session something is left: ${errorMessage(error)}. To remove it: pth clean`,
    );
  }
}

/** The dead session's folder goes once what it held is in the new one, or in a patch. */
async function takeFolder(
  { worktree }: BranchOwner,
  salvaged: Salvaged | undefined,
  { repository, own }: FoundSession,
  source: SessionSource,
): Promise<void> {
  if (salvaged === undefined) return;
  source.notes.push(...await carryOver(salvaged, worktree, source.worktree));
  const left = [
    ...await removeTree(fixerFolder(worktree)),
    ...(own ? await removeTree(worktree) : await removeWorktree(repository.top, worktree)),
  ];
  if (left.length > 0) source.notes.push(`Left of the dead session: ${left.join("; ")}`);
}

/** The dead session's register forgets what is this session's now; environments stay in it for `pth clean`. */
async function strikeOff(
  dead: readonly RegisteredSession[],
  { branch, folder }: FoundSession,
  holders: readonly BranchOwner[],
): Promise<string[]> {
  const notes: string[] = [];
  for (const session of dead) {
    const left: RegisterEntry[] = [];
    for (const entry of session.entries) {
      const { kind, name } = entry;
      const gone = (kind === "branch" && name === branch) || (kind === "lock" && name === folder) ||
        (holders.some(({ worktree }) => [worktree, fixerFolder(worktree)].includes(name)) &&
          !await pathExists(name));
      if (gone) await appendRemoved(session, entry);
      else left.push(entry);
    }
    if (left.length === 0) await removeRegister(session);
    else {
      const things = left.map(({ kind, name }) => `${kind} ${name}`).join(", ");
      notes.push(`Still there of the dead session ${session.sessionId}: ${things}. To remove it: pth clean`);
    }
  }
  return notes;
}

/** A plugin without a manifest is named like its folder, which was not this one. */
async function identityOf(
  { state, target, branch, folder }: FoundSession,
  { worktree, subfolder }: SessionSource,
): Promise<Pick<SessionSource, "name" | "version">> {
  if (state.plugin.name !== "") return state.plugin;
  if (target.target?.startsWith("npm:")) {
    return { name: target.target.slice("npm:".length).replace(/(.)@.*$/, "$1") };
  }
  const path = join(worktree, subfolder);
  const told = await readIdentity({ ...hostFolder(path), path: folder ?? path });
  return told.name === path.split("/").at(-1) ? { name: nameIn(branch) } : told;
}

/** `demo` of `pth/demo-2026-01-01-a1b2c3d4`. */
const nameIn = (branch: string): string => branch.replace(/^pth[-/]/, "").replace(/-\d{4}-\d\d-\d\d-.*$/, "");
