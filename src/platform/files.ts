/** Files and folders of the host, the same on Deno and Node. Errors are the platform's own, but for what is said here. */
import { dirname, join } from "node:path";
import { platform } from "./deno.ts";

export const {
  chmod,
  copyFile,
  lstat,
  makeTempDir,
  mkdir,
  readDir,
  readFile,
  readLink,
  readTextFile,
  realPath,
  remove,
  rename,
  stat,
  symlink,
  writeFile,
  writeTextFile,
} = platform;

/** True for the platform's "no such file or folder". */
export const isNotFound = (error: unknown): boolean => error instanceof platform.errors.NotFound;

/** True also where a file stands in a folder's place: there is no such path then, either. */
export const isAbsent = (error: unknown): boolean => isNotFound(error) || codeOf(error) === "ENOTDIR";

/** True for a full disk or a used-up quota, from an error of the system or a program's output. */
export function isNoSpace(told: unknown): boolean {
  const words = told instanceof Error ? told.message : String(told);
  return ["ENOSPC", "EDQUOT"].includes(codeOf(told) ?? "") ||
    /no space left|disk quota exceeded/i.test(words);
}

const codeOf = (error: unknown): string | undefined => (error as { code?: string } | undefined)?.code;

/** Lists the entries of a folder by name; empty where there is no such folder. */
export async function listFolder(folder: string): Promise<Deno.DirEntry[]> {
  const entries: Deno.DirEntry[] = [];
  try {
    for await (const entry of readDir(folder)) entries.push(entry);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
  return entries.sort((a, b) => a.name < b.name ? -1 : 1);
}

/** The file's text, or undefined where there is no such file. */
export async function readTextIfExists(path: string): Promise<string | undefined> {
  try {
    return await readTextFile(path);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** A path below a file does not exist either. */
export async function pathExists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

/**
 * Writes a temporary file in the same folder and renames it, so that a reader or a crash sees the old file or
 * the new one, whole.
 * @param mode of the file; without it, as the system gives
 */
export async function writeTextAtomically(path: string, text: string, mode?: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const beside = join(dirname(path), `.${crypto.randomUUID()}.tmp`);
  try {
    await writeTextFile(beside, text, mode === undefined ? {} : { mode });
    await rename(beside, path);
  } catch (error) {
    await removeIfExists(beside);
    throw error;
  }
}

/** Removes a folder unless something is in it, or it is none; one that is not there is no error. */
export async function removeEmptyFolder(path: string): Promise<void> {
  try {
    if ((await lstat(path)).isDirectory) await remove(path);
  } catch (error) {
    if (!isAbsent(error) && !/not empty|ENOTEMPTY/i.test(String(error))) throw error;
  }
}

/** Removes a file or a whole folder; one that is not there is no error. */
export async function removeIfExists(path: string): Promise<void> {
  try {
    await remove(path, { recursive: true });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
