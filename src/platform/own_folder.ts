/**
 * Folders of PTH's own on the host: their owner alone may look into them (0700, from the moment they are made), and one
 * that is there already is trusted only where no other user can have put anything into it.
 */
import type { Stats } from "node:fs";
import { lstat, mkdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { PthError } from "../core/errors.ts";
import { writeTextAtomically } from "./files.ts";
import { uid } from "./host.ts";

const ownerOnly = 0o700;
const writableByOthers = 0o022;
const sticky = 0o1000;

/**
 * Makes a folder and those below it, each within the one before, and answers the last one's path.
 * @throws {PthError} `INVALID_CONFIG` for one of them that is not safe; the system's own error where none can be made
 */
export async function openOwnFolder(top: string, ...below: string[]): Promise<string> {
  let path = top;
  for (const name of ["", ...below]) {
    path = join(path, name);
    await mkdir(path, { recursive: true, mode: ownerOnly });
    const problem = await ownershipProblem(path);
    if (problem !== undefined) throw unsafe(path, problem);
  }
  return path;
}

/** Writes a file of PTH's own, whole, for its owner alone; folders above it that are missing are made so, too. */
export async function writeOwnText(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: ownerOnly });
  await writeTextAtomically(path, text, 0o600);
}

/** The reason why what lies at the path is not PTH's own folder; undefined where it is, and where nothing is there. */
export async function ownershipProblem(path: string): Promise<string | undefined> {
  try {
    return await problemOf(path);
  } catch (error) {
    return `it cannot be looked at (${codeOf(error)})`;
  }
}

async function problemOf(path: string): Promise<string | undefined> {
  const info = await infoOf(path, lstat);
  if (info === undefined) return undefined;
  if (info.uid !== uid()) return `it belongs to another user (uid ${info.uid})`;
  // A link of this user's own says where this user wants the folder.
  const folder = info.isSymbolicLink() ? await infoOf(path, stat) : info;
  if (!folder?.isDirectory()) return "it is no folder";
  if (folder.uid !== uid()) return `it leads to a folder of another user (uid ${folder.uid})`;
  if (folder.mode & writableByOthers) return `others may write to it (mode ${octal(folder.mode)})`;
  return undefined;
}

/**
 * Makes a new folder for its owner alone, in one that others cannot take it away from.
 * @throws {PthError} `INVALID_CONFIG` where the path is taken, or the folder above it is open to others
 */
export async function makeOwnFolder(path: string): Promise<void> {
  const parent = dirname(resolve(path));
  await mkdir(parent, { recursive: true, mode: ownerOnly });
  const problem = whyOpen(await stat(parent));
  if (problem !== undefined) throw unsafe(parent, problem);
  try {
    await mkdir(path, { mode: ownerOnly });
  } catch (cause) {
    if (codeOf(cause) !== "EEXIST") throw cause;
    throw unsafe(path, "something is there already", { cause });
  }
}

/** Sticky bit, which in a shared folder like /tmp keeps what is one's own. */
function whyOpen({ uid: owner, mode }: Stats): string | undefined {
  if (mode & sticky) return undefined;
  if (owner !== uid() && owner !== 0) return `it belongs to another user (uid ${owner})`;
  return mode & writableByOthers ? `others may write to it (mode ${octal(mode)})` : undefined;
}

async function infoOf(path: string, look: (path: string) => Promise<Stats>): Promise<Stats | undefined> {
  try {
    return await look(path);
  } catch (error) {
    // Nothing is there, or a file in a folder's place: making the folder reports it.
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error))) return undefined;
    throw error;
  }
}

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? String(error);

const octal = (mode: number): string => `0${(mode & 0o7777).toString(8)}`;

const unsafe = (path: string, problem: string, options?: { cause: unknown }): PthError =>
  new PthError("INVALID_CONFIG", `Cannot use folder ${path}: ${problem}`, {
    path,
    next: [
      `Look at what it is: ls -ld "${path}"`,
      `If it is yours alone, close it to others: chmod go-w "${path}"`,
      "Or name others: PTH_HOME for PTH's own files, PTH_WORKTREE_DIR for worktrees",
    ],
  }, options);
