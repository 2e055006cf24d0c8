/** Lists the source files of a plugin's folder, and detects changes of them. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { PthError } from "../core/errors.ts";
import { type ConfinedFolder, openConfined } from "../platform/confined/open_confined.ts";
import { isAbsent, lstat } from "../platform/files.ts";
import { git, nulSeparated } from "../git/git.ts";
import { isExcludedFromCopy } from "./copy_plugin.ts";

/** Git folder and worktree by which git reads the folder; absent if git is not asked. */
export type GitView = "its own" | { gitDir: string; workTree: string };

/**
 * Paths relative to the folder, with "/", sorted: with git what is tracked or new and not ignored, else all but caches that
 * can be made again. What PTH keeps in `.pth` is no source, but for the tests.
 */
export async function listSourceFiles(folder: string, view?: GitView): Promise<string[]> {
  const paths = (view && await filesOfGit(folder, view)) ?? await filesOfFolder(folder);
  return paths.filter((path) => !path.startsWith(".pth/") || path.startsWith(".pth/tests/")).sort();
}

/** Undefined where git does not know the folder, or ignores it as a whole. */
async function filesOfGit(folder: string, view: GitView): Promise<string[] | undefined> {
  const options = view === "its own" ? {} : view;
  const { code, stdout } = await git(folder, ["ls-files", "-z", "-co", "--exclude-standard"], options);
  const paths = [...new Set(nulSeparated(stdout))].filter((path) => !path.endsWith("/"));
  return code === 0 && paths.length > 0 ? paths : undefined;
}

async function filesOfFolder(top: string): Promise<string[]> {
  const found: string[] = [];
  const files = openConfined(top);
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const { name, kind } of await files.list(folder)) {
      const isDirectory = kind === "folder";
      const path = folder === "" ? name : `${folder}/${name}`;
      if (await isExcludedFromCopy(top, path, isDirectory ? "folder" : "file")) continue;
      if (isDirectory) folders.push(path);
      else found.push(path);
    }
  }
  return found;
}

/** Larger files count by their size: they are hardly source, and would be read before each run. */
const largestRead = 1024 * 1024;

/**
 * Makes a function that says in 16 letters what the source is like: the same text for the same source. Files that were not
 * touched are read once only. Tests are left out: they are compared one by one.
 */
export function makeSourceDigest(folder: string, view?: GitView): () => Promise<string> {
  const files = openConfined(folder);
  const known = new Map<string, { stamp: string; hash: string }>();
  return async () => {
    const all = createHash("sha256");
    for (const path of await listSourceFiles(folder, view)) {
      if (path.startsWith(".pth/")) continue;
      const stamp = await stampOf(join(folder, path));
      if (stamp === undefined) continue;
      if (known.get(path)?.stamp !== stamp.text) {
        known.set(path, { stamp: stamp.text, hash: await hashOf(files, path, stamp) });
      }
      all.update(`${path}\0${known.get(path)!.hash}\0`);
    }
    return all.digest("hex").slice(0, 16);
  };
}

interface Stamp {
  /** Differs where the file was changed. */
  text: string;
  size: number;
  isLink: boolean;
}

/** Undefined for what is gone, and for what is neither file nor link. */
export async function stampOf(path: string): Promise<Stamp | undefined> {
  try {
    const { size, mtime, isFile, isSymlink, mode } = await lstat(path);
    if (!isFile && !isSymlink) return undefined;
    return { text: `${size} ${mtime?.getTime()} ${mode}`, size, isLink: isSymlink };
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Hash of a file, or of a link's text: its target may be anywhere on the host. */
async function hashOf(files: ConfinedFolder, path: string, { size, isLink }: Stamp): Promise<string> {
  if (size > largestRead) return `${size} bytes`;
  try {
    const content = isLink ? await files.readLink(path) : await files.read(path);
    // It went away just now.
    if (content === undefined) return "absent";
    return createHash("sha256").update(content).digest("hex");
  } catch (error) {
    // A link on the way leads elsewhere: there is no source then.
    if (error instanceof PthError && error.code === "PATH_REFUSED") return "refused";
    throw error;
  }
}
