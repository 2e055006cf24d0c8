/** A photograph of an author's checkout: what a session must leave exactly as it was. */
import { Buffer } from "node:buffer";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import process from "node:process";

/** One line per path: what it is, its permissions and owner, when it was changed, its bytes. Folders have no times. */
export type Photo = Map<string, string>;

/** What a session may add, relative to the git folder, and nothing else. */
const added = /^(refs\/heads\/pth|logs\/refs\/heads\/pth)(\/|$)|^logs(\/refs(\/heads)?)?$/;
/** Git itself renews their times when it sees that they are in use. */
const renewed = /(^|\/)(objects\/|sharedindex\.)/;
/** The lock, and the folder around it where the plugin has none. */
const lock = /(^|\/)\.pth(\/active-session\.lock[^/]*)?$/;

/**
 * All files of a folder: a checkout with its `.git`, a bare repository, a linked worktree.
 * @param options.shared of a linked worktree, the repository that it belongs to is photographed, too
 */
export async function photograph(folder: string, { shared = true } = {}): Promise<Photo> {
  const photo: Photo = new Map();
  await take(folder, folder, photo);
  const git = shared ? gitFolder(folder) : undefined;
  if (git !== undefined && relative(folder, git).startsWith("..")) await take(git, folder, photo);
  return photo;
}

/**
 * What differs, one line each; what a session may add is not named.
 * @param shot.alive the session still runs: its lock and the entry of its worktree are there
 * @param shot.branch a branch of the session may be there
 */
export async function changesSince(
  before: Photo,
  folder: string,
  { alive = false, branch = true }: { alive?: boolean; branch?: boolean } = {},
): Promise<string[]> {
  const now = await photograph(folder);
  const git = gitFolder(folder);
  const inGit = (path: string) => git === undefined ? undefined : relative(git, resolve(folder, path));
  const mayBeNew = (path: string) => {
    const name = inGit(path);
    if (name?.startsWith("worktrees")) return alive;
    if (name?.startsWith("objects/")) return true;
    return (branch && name !== undefined && added.test(name)) || (alive && lock.test(path));
  };
  const gone = [...before.keys()].filter((path) => !now.has(path)).map((path) => `gone: ${path}`);
  const others = [...now].flatMap(([path, line]) => {
    const old = before.get(path);
    if (old === line) return [];
    if (old === undefined) return mayBeNew(path) ? [] : [`new: ${path}`];
    return [`changed: ${path}\n  from ${old}\n  to   ${line}`];
  });
  return [...gone, ...others];
}

async function take(folder: string, top: string, photo: Photo): Promise<void> {
  photo.set(relative(top, folder) || ".", await describe(folder));
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await take(path, top, photo);
    else photo.set(relative(top, path), await describe(path));
  }
}

async function describe(path: string): Promise<string> {
  const info = await lstat(path, { bigint: true });
  const rights = `${info.mode.toString(8)} ${info.uid}:${info.gid}`;
  if (info.isDirectory()) return rights;
  const bytes = info.isSymbolicLink()
    ? Buffer.from(await readlink(path))
    : info.isFile()
    ? await readFile(path)
    : Buffer.from("");
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  const time = renewed.test(path) ? "-" : info.mtimeNs;
  return `${rights} ${time} ${info.size} ${hash}`;
}

/** Where git keeps what all worktrees share; undefined where there is no repository of one's own. */
function gitFolder(folder: string): string | undefined {
  try {
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_")),
    ) as Record<string, string>;
    const ask = ["-c", "safe.directory=*", "-C", folder, "rev-parse", "--git-common-dir"];
    const answer = execFileSync("git", ask, { encoding: "utf8", stdio: "pipe", env });
    return resolve(folder, answer.replace(/\n$/, ""));
  } catch {
    return undefined;
  }
}
