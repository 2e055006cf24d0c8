/** Copies folders of the host: symbolic links stay links, permissions stay, what cannot be a file is left out. */
import { dirname, join } from "node:path";
import { copyFile, isAbsent, lstat, mkdir, readDir, readLink, removeIfExists, symlink } from "./files.ts";

export interface CopyOptions {
  /** Gets each path relative to the folder copied, with "/" between; true leaves it and what is below it out. */
  skip?: (path: string, kind: "folder" | "file") => boolean | Promise<boolean>;
  signal?: AbortSignal;
  /** Called now and then with the number of files copied so far. */
  onProgress?: (files: number) => void;
}

/** Copies what a folder holds into another, which may exist. Resolves to the number of files and links copied. */
export async function copyTree(from: string, to: string, options: CopyOptions = {}): Promise<number> {
  let copied = 0;
  const folders = [""];
  while (folders.length > 0) {
    const folder = folders.pop()!;
    await mkdir(join(to, folder), { recursive: true });
    for await (const entry of readDir(join(from, folder))) {
      options.signal?.throwIfAborted();
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (await options.skip?.(path, entry.isDirectory ? "folder" : "file")) continue;
      if (entry.isDirectory) folders.push(path);
      else if (await copyOne(join(from, path), join(to, path))) copied++;
      if (copied % 500 === 499) options.onProgress?.(copied);
    }
  }
  return copied;
}

/**
 * Copies one file or link over whatever is there; folders above it are made.
 * @returns false when it is neither (a socket, a device), or is gone by now
 */
export async function copyOne(from: string, to: string): Promise<boolean> {
  try {
    const info = await lstat(from);
    if (!info.isFile && !info.isSymlink) return false;
    await mkdir(dirname(to), { recursive: true });
    await removeIfExists(to);
    if (info.isSymlink) await symlink(await readLink(from), to);
    else await copyFile(from, to);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

/** Kind of the entry at a path, links not followed. */
export async function pathKind(path: string): Promise<"folder" | "file" | "absent"> {
  try {
    return (await lstat(path)).isDirectory ? "folder" : "file";
  } catch (error) {
    if (isAbsent(error)) return "absent";
    throw error;
  }
}
