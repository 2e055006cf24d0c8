/** Reports free space of the host's disks and what PTH itself takes up on them. */
import type { RecoveryArtefact } from "../runtimes/docker/container_leftovers.ts";
import { dirname, join } from "node:path";
import { listFolder, lstat, pathExists } from "../platform/files.ts";
import { stateDir, uid, worktreeDir } from "../platform/host.ts";
import { runCommand } from "../platform/process.ts";
import { listSessions } from "../registry/register.ts";
import { freeSpaceMiB } from "../platform/append_durably.ts";
import { git } from "../git/git.ts";

/** Limit on listed artefacts, the largest first. */
const mostTold = 15;
/** Limit in ms on measuring one folder. */
const countWithin = 10_000;

/** One line for each file system that holds one of the folders; those of PTH's own state are always among them. */
export async function diskState(...folders: string[]): Promise<string[]> {
  const places = await Promise.all([stateDir(), worktreeDir(), ...folders].map(nearest));
  const { stdout, stderr, code } = await runCommand(["df", "-Pk", "--", ...new Set(places)]);
  if (stdout === "" && code !== 0) throw new Error(stderr.trim());
  return diskLines(stdout);
}

/** Lines of `df -Pk` for people, each file system once. */
export function diskLines(df: string): string[] {
  const lines = df.trim().split("\n").slice(1).map((line) => {
    const [, total = "", used = "", free = "", percent = "", ...mount] = line.trim().split(/\s+/);
    return `${mount.join(" ")}: ${percent} used (${mib(used)} of ${mib(total)} MiB), ${mib(free)} MiB free`;
  });
  return [...new Set(lines)];
}

const mib = (kib: string): number => Math.floor(Number(kib) / 1024);

/** The folder, or the first above it that is there. */
async function nearest(folder: string): Promise<string> {
  let path = folder;
  while (path !== dirname(path) && !await pathExists(path).catch(() => false)) path = dirname(path);
  return path;
}

/**
 * Worktrees, boxes, repositories, images of PTH on this host, the largest first, as lines.
 * @param others what lies elsewhere, for example on a container engine
 */
export async function recoveryArtefacts(others: () => Promise<RecoveryArtefact[]>): Promise<string[]> {
  const found = [...await sessionFolders(), ...await stateFolders()];
  const sized = await Promise.all(
    found.map(async ({ name, what }): Promise<RecoveryArtefact> => ({
      name,
      what,
      sizeMB: await sizeOf(name),
    })),
  );
  const all = [...sized, ...await others()].sort((a, b) => b.sizeMB - a.sizeMB);
  const told = all.slice(0, mostTold).map(({ name, sizeMB, what }) => `${sizeMB} MiB ${name} (${what})`);
  return all.length > mostTold ? [...told, `… and ${all.length - mostTold} smaller ones`] : told;
}

type Folder = Pick<RecoveryArtefact, "name" | "what">;

async function sessionFolders(): Promise<Folder[]> {
  const folders: Folder[] = [];
  for (const { sessionId, alive, kept, entries } of await listSessions()) {
    const whose = `session ${sessionId}, ${alive ? "active" : kept ? "kept" : "dead: pth clean removes it"}`;
    for (const { kind, name } of entries) {
      if (kind !== "worktree" && kind !== "scratch") continue;
      if (await pathExists(name)) folders.push({ name, what: `${kind} of ${whose}` });
    }
  }
  return folders;
}

/** Lists folders two levels below PTH's state folder: sandboxes, repositories, images. */
async function stateFolders(): Promise<Folder[]> {
  const folders: Folder[] = [];
  for (const kind of await foldersIn(stateDir())) {
    if (kind === "sessions") continue;
    for (const name of await foldersIn(join(stateDir(), kind))) {
      folders.push({ name: join(stateDir(), kind, name), what: kind });
    }
  }
  return folders;
}

const foldersIn = async (path: string): Promise<string[]> =>
  (await listFolder(path)).filter(({ isDirectory }) => isDirectory).map(({ name }) => name);

/** In MiB, rounded up; what vanishes meanwhile or cannot be read counts for nothing. */
async function sizeOf(path: string): Promise<number> {
  const { stdout } = await runCommand(["timeout", String(countWithin / 1000), "du", "-skx", "--", path]);
  return Math.ceil((Number.parseInt(stdout) || 0) / 1024);
}

/** Git's list of the repository's worktrees, or its words why it has none. */
export async function worktreeList(folder: string): Promise<string> {
  const { stdout, stderr } = await git(folder, ["worktree", "list"]);
  return (stdout || stderr).trim();
}

/** The path, or what is there of the way to it: kind, permissions, owner, free space. */
export async function pathState(path: string): Promise<string> {
  for (let there = path;; there = dirname(there)) {
    try {
      const { isDirectory, mode, uid: owner } = await lstat(there);
      const kind = isDirectory ? "a folder" : "not a folder";
      const bits = mode === null ? "" : ` with mode ${(mode & 0o7777).toString(8)}`;
      const whose = owner === uid() ? "its owner is this user" : `its owner is user ${owner}`;
      const free = `${await freeSpaceMiB(there)} MiB free`;
      const missing = there === path ? "" : `${path} is not there; `;
      return `${missing}${there} is ${kind}${bits}, ${whose}, ${free}`;
    } catch (error) {
      if (there === dirname(there)) throw error;
    }
  }
}
