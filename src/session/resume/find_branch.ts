/** Finds a session branch: in the repository of the named plugin, or in one of this host's registered sessions. */
import { join } from "node:path";
import { PthError } from "../../core/errors.ts";
import { listFolder, pathExists, realPath } from "../../platform/files.ts";
import { cwd } from "../../platform/host.ts";
import { didYouMean } from "../../core/did_you_mean.ts";
import { git } from "../../git/git.ts";
import { listSessions, type RegisteredSession } from "../../registry/register.ts";
import { findRepository, type Repository } from "../../git/repository.ts";
import { parseTarget } from "../parse_target.ts";
import { hasBranch } from "../../git/worktree.ts";
import { ownRepositories } from "../../git/make_repository.ts";

export interface FoundBranch {
  branch: string;
  repository: Repository;
  /** PTH made the repository, for a plugin without git. */
  own: boolean;
  /** The plugin's folder, as the caller named it. */
  named?: string;
  /** The caller is in a folder of this repository; the plugin may be in another one. */
  subfolder: string | undefined;
  /** Registers, of dead and live sessions, that know the branch. */
  sessions: RegisteredSession[];
}

interface Place {
  path: string;
  named?: string;
  own?: boolean;
}

/** @throws {PthError} `INVALID_INPUT` with the nearest names, or where several repositories have it; `TARGET_NOT_FOUND` */
export async function findBranch(asked: string, pluginPath: string | undefined): Promise<FoundBranch> {
  const branch = asked.trim().replace(/^refs\/heads\//, "");
  const sessions = await listSessions();
  const places = await placesToLook(branch, pluginPath, sessions);
  const looked: Repository[] = [];
  const found = new Map<string, FoundBranch>();
  for (const { path, named, own = false } of places) {
    const repository = await findRepository(path);
    if (!("top" in repository)) continue;
    const id = await realPath(repository.gitDir);
    if (found.has(id)) continue;
    looked.push(repository);
    if (!await hasBranch(repository, branch)) continue;
    found.set(id, {
      branch,
      repository,
      own,
      ...(named === undefined ? {} : { named }),
      subfolder: own || (named === undefined && path !== cwd()) ? undefined : repository.subfolder,
      sessions: sessions.filter((session) => knows(session, branch, repository)),
    });
  }
  const [one, ...more] = found.values();
  if (one === undefined) throw await notFound(branch, pluginPath, looked, sessions);
  if (more.length > 0) throw inSeveral(branch, [one, ...more]);
  return one;
}

async function placesToLook(
  branch: string,
  pluginPath: string | undefined,
  sessions: RegisteredSession[],
): Promise<Place[]> {
  const own = (await ownRepositoriesThere()).map((path) => ({ path, own: true }));
  if (pluginPath !== undefined) {
    const parsed = await parseTarget({ target: pluginPath });
    return parsed.kind === "folder" ? [{ path: parsed.path, named: parsed.path }, ...own] : own;
  }
  const registered = sessions.flatMap(({ entries }) =>
    entries.flatMap((entry) =>
      entry.kind === "branch" && entry.name === branch ? [{ path: String(entry["repository"]) }] : []
    )
  );
  const known = new Set(own.map(({ path }) => path));
  return [{ path: cwd() }, ...own, ...registered.filter(({ path }) => !known.has(path))];
}

async function ownRepositoriesThere(): Promise<string[]> {
  const folders = (await listFolder(ownRepositories())).filter(({ isDirectory }) => isDirectory);
  return folders.map(({ name }) => join(ownRepositories(), name));
}

const knows = ({ entries }: RegisteredSession, branch: string, { top, gitDir }: Repository): boolean =>
  entries.some(({ kind, name, repository }) =>
    kind === "branch" && name === branch && (repository === top || repository === gitDir)
  );

async function notFound(
  branch: string,
  pluginPath: string | undefined,
  looked: Repository[],
  sessions: RegisteredSession[],
): Promise<PthError> {
  const names = new Set<string>();
  const remote: string[] = [];
  for (const { top } of looked) {
    for (const name of await refs(top, "refs/heads")) if (/^pth[-/]/.test(name)) names.add(name);
    remote.push(...(await refs(top, "refs/remotes")).filter((name) => name.endsWith(`/${branch}`)));
  }
  for (const { entries } of sessions) {
    for (const { kind, name, repository } of entries) {
      if (kind === "branch" && await pathExists(String(repository))) names.add(name);
    }
  }
  const near = didYouMean(branch, [...names]);
  const offered = [...near === undefined ? [] : [near], ...[...names].filter((name) => name !== near)];
  const [from] = remote;
  const where = pluginPath ??
    (looked.length === 0 ? "this folder, which is in no git repository" : "any repository known here");
  return new PthError("INVALID_INPUT", `Cannot resume ${branch}: there is no such branch in ${where}`, {
    tried: looked.map(({ top }) => top),
    next: [
      ...(from === undefined ? [] : [`Take it from the remote first: git branch ${branch} ${from}`]),
      ...(offered.length === 0 ? [] : [`Session branches there: ${offered.slice(0, 5).join(", ")}`]),
      ...(pluginPath === undefined ? ["Say where the plugin is: pluginPath"] : []),
      { mcp: "Start a new session: pth_start_session({ pluginPath })" },
    ],
  });
}

const refs = async (top: string, below: string): Promise<string[]> => {
  const list = [
    "for-each-ref",
    "--sort=-committerdate",
    "--count=1000",
    "--format=%(refname:lstrip=2)",
    below,
  ];
  return (await git(top, list)).stdout.split("\n").filter((name) => name !== "");
};

const inSeveral = (branch: string, found: FoundBranch[]): PthError =>
  new PthError("INVALID_INPUT", `Cannot resume ${branch}: several repositories have a branch of this name`, {
    tried: found.map(({ repository }) => repository.top),
    next: ["Say which: pluginPath, the plugin's folder in one of them"],
  });

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
