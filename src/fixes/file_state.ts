/** What lies at a path: read before an edit, written after it, and put back when something fails. */
import { Buffer } from "node:buffer";
import { dirname, join } from "node:path";
import {
  chmod,
  isAbsent,
  lstat,
  mkdir,
  readFile,
  readLink,
  remove,
  removeIfExists,
  rename,
  symlink,
  writeFile,
} from "../platform/files.ts";

export type FileState =
  | { kind: "absent" }
  | { kind: "file"; bytes: Uint8Array; mode: number }
  | { kind: "link"; target: string }
  | { kind: "folder" }
  /** A socket, a device. */
  | { kind: "other" };

export const absent: FileState = { kind: "absent" };

/** Permissions of a file that is new. */
export const plainMode = 0o644;

export async function readState(path: string): Promise<FileState> {
  try {
    const info = await lstat(path);
    if (info.isSymlink) return { kind: "link", target: await readLink(path) };
    if (info.isDirectory) return { kind: "folder" };
    if (!info.isFile) return { kind: "other" };
    return { kind: "file", bytes: await readFile(path), mode: (info.mode ?? plainMode) & 0o777 };
  } catch (error) {
    if (isAbsent(error)) return absent;
    throw error;
  }
}

/** Bytes of a file; 0 for what is none. */
export async function sizeOf(path: string): Promise<number> {
  try {
    const info = await lstat(path);
    return info.isFile ? info.size : 0;
  } catch (error) {
    if (isAbsent(error)) return 0;
    throw error;
  }
}

/** Makes a path what the state says; a reader sees the old file or the new one, whole. */
export async function writeState(path: string, state: FileState): Promise<void> {
  if (state.kind === "absent") await removeIfExists(path);
  else if (state.kind === "link") {
    await removeIfExists(path);
    await mkdir(dirname(path), { recursive: true });
    await symlink(state.target, path);
  } else if (state.kind === "file") await writeBytes(path, state.bytes, state.mode);
}

async function writeBytes(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const beside = join(dirname(path), `.pth-${crypto.randomUUID()}.tmp`);
  try {
    await writeFile(beside, bytes, { mode });
    await chmod(beside, mode);
    await rename(beside, path);
  } catch (error) {
    await removeIfExists(beside);
    throw error;
  }
}

/** Removes the folders above a path that hold nothing any more, as git does; never `top` itself. */
export async function removeEmptyParents(top: string, path: string): Promise<void> {
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
    try {
      await remove(join(top, folder));
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      if (isAbsent(error) || code === "ENOTEMPTY" || /not empty/i.test(message)) return;
      throw error;
    }
  }
}

export function sameState(a: FileState, b: FileState): boolean {
  if (a.kind === "file" && b.kind === "file") {
    return a.mode === b.mode && Buffer.compare(a.bytes, b.bytes) === 0;
  }
  return a.kind === b.kind && (a.kind !== "link" || a.target === (b as { target: string }).target);
}
