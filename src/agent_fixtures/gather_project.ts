/** Gathers on the host what a test's project begins with, for the way into the environment. */
import { join, posix } from "node:path";
import type { ProjectStart } from "../../machines/model/agent_fixture.ts";
import { PthError } from "../core/errors.ts";
import { git, gitOutput } from "../git/git.ts";
import { type ConfinedFolder, openConfined } from "../platform/confined/open_confined.ts";

/** Files that a test lays into its project, and their bytes together. */
const mostFiles = 5000;
const mostBytes = 256 * 1024 * 1024;

export interface GatheredProject {
  /** Folder `project`, as agents' sessions have it; its files are laid into the project. */
  files: string;
  /** Archive of the branch's files, which come first; absent where the test names no branch. */
  archive?: string;
}

/**
 * @param folder Empty folder that takes what is gathered
 * @throws {PthError} `INVALID_INPUT` for a branch that is not there or not at its commit, and for too many files;
 * `PATH_REFUSED` for a link
 */
export async function gatherProject(
  start: ProjectStart,
  folder: string,
  signal?: AbortSignal,
): Promise<GatheredProject> {
  const files = join(folder, "project");
  await openConfined(folder).mkdir("project");
  const gathered = openConfined(files);
  const sources = openConfined(start.root);
  const room = { files: mostFiles, bytes: mostBytes };
  for (const { from, to } of start.files) {
    await copy(sources, from, gathered, to, room, signal);
  }
  if (start.branch === undefined) return { files };
  const archive = join(folder, "branch.tar");
  const commit = await frozenCommit(start, start.branch);
  await gitOutput(start.root, ["archive", "--format=tar", `--output=${archive}`, commit], {
    ...(signal === undefined ? {} : { signal }),
  });
  return { files, archive };
}

async function copy(
  sources: ConfinedFolder,
  from: string,
  gathered: ConfinedFolder,
  to: string,
  room: { files: number; bytes: number },
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted();
  const info = await sources.stat(from);
  if (info?.kind === "folder") {
    await gathered.mkdir(to);
    for (const { name } of await sources.list(from)) {
      // A repository's own folder is nothing that an environment may bring its hooks from.
      if (name === ".git") continue;
      await copy(sources, posix.join(from, name), gathered, posix.join(to, name), room, signal);
    }
    return;
  }
  room.files--;
  room.bytes -= info?.size ?? 0;
  if (room.files < 0 || room.bytes < 0) {
    const limit = `${mostFiles} files and ${mostBytes / 1024 / 1024} MiB`;
    throw new PthError("INVALID_INPUT", `Cannot set up the project: it begins with more than ${limit}`);
  }
  if (await gathered.copyFrom(sources, from, to)) return;
  throw new PthError("TARGET_NOT_FOUND", `Cannot set up the project: there is no file ${from}`);
}

/** Commit of the branch, which must be the one at which it is frozen. */
async function frozenCommit(
  { root, commit }: Pick<ProjectStart, "root" | "commit">,
  branch: string,
): Promise<string> {
  const at = await commitOf(root, `refs/heads/${branch}`) ??
    await commitOf(root, `refs/remotes/origin/${branch}`);
  if (at === undefined) {
    throw new PthError("INVALID_INPUT", `Cannot set up the project: there is no branch ${branch}`, {
      next: [`Fetch it: git fetch origin ${branch}:${branch}`],
    });
  }
  if (commit === undefined || at === commit) return at;
  const state = `the branch ${branch} has moved: it is at ${at}, and frozen at ${commit}`;
  throw new PthError("INVALID_INPUT", `Cannot set up the project: ${state}`, {
    next: [`Freeze it anew where that was meant: branches.${branch}.commit of fixture.yaml`],
  });
}

async function commitOf(root: string, ref: string): Promise<string | undefined> {
  const { code, stdout } = await git(root, ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`]);
  return code === 0 ? stdout.trim() : undefined;
}
