/** State of a path: read before an edit, written after it, and restored when something fails. */
import { Buffer } from "node:buffer";
import type { ConfinedFolder } from "../platform/confined/open_confined.ts";

export type FileState =
  | { kind: "absent" }
  | { kind: "file"; bytes: Uint8Array; mode: number }
  | { kind: "link"; target: string }
  | { kind: "folder" }
  /** A socket, a device. */
  | { kind: "other" };

export const absentFile: FileState = { kind: "absent" };

/** Permissions of a file that is new. */
export const plainMode = 0o644;

/** Bytes. Edits are planned in memory; no source is larger. */
export const maxFileBytes = 64_000_000;

/** @throws {PthError} `PATH_REFUSED` for a path over a link, and for a file above `largest` */
export async function readFileState(folder: ConfinedFolder, path: string): Promise<FileState> {
  const info = await folder.stat(path);
  if (info === undefined) return absentFile;
  if (info.kind === "link") {
    const target = await folder.readLink(path);
    return target === undefined ? absentFile : { kind: "link", target };
  }
  if (info.kind === "folder") return { kind: "folder" };
  if (info.kind !== "file") return { kind: "other" };
  const bytes = await folder.read(path, { maxBytes: maxFileBytes });
  return bytes === undefined ? absentFile : { kind: "file", bytes, mode: info.mode & 0o777 };
}

/** Makes a path what the state says; a reader sees the old file or the new one, whole. */
export async function writeState(folder: ConfinedFolder, path: string, state: FileState): Promise<void> {
  if (state.kind === "absent") await folder.remove(path);
  else if (state.kind === "link") {
    await folder.remove(path);
    await folder.symlink(path, state.target);
  } else if (state.kind === "file") {
    // A restored file may have become a folder or a link meanwhile.
    if ((await folder.stat(path))?.kind === "folder") await folder.remove(path);
    await folder.write(path, state.bytes, { mode: state.mode, replace: true });
  }
}

export function sameState(a: FileState, b: FileState): boolean {
  if (a.kind === "file" && b.kind === "file") {
    return a.mode === b.mode && Buffer.compare(a.bytes, b.bytes) === 0;
  }
  return a.kind === b.kind && (a.kind !== "link" || a.target === (b as { target: string }).target);
}
