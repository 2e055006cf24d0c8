/** Describes what lies at a path, without following it. */
import { fstatSync, lstatSync, type Stats } from "node:fs";
import { errnoOf } from "./walk.ts";

export interface PathInfo {
  kind: "file" | "folder" | "link" | "fifo" | "socket" | "device";
  /** Bytes. */
  size: number;
  /** Permissions, with setuid, setgid and sticky bits. */
  mode: number;
  /** Milliseconds since 1970. */
  modified: number;
}

/** Undefined where nothing is. */
export function infoOf(path: string): PathInfo | undefined {
  try {
    return toInfo(lstatSync(path));
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

export const infoOfOpen = (descriptor: number): PathInfo => toInfo(fstatSync(descriptor));

/** Words for an error: "is …". */
export const kindText = (kind: PathInfo["kind"]): string =>
  ({
    file: "a file",
    folder: "a folder",
    link: "a symbolic link",
    fifo: "a fifo",
    socket: "a socket",
  } as Record<
    string,
    string
  >)[kind] ?? "a device";

const toInfo = (stats: Stats): PathInfo => ({
  kind: kindOf(stats),
  size: stats.size,
  mode: stats.mode & 0o7777,
  modified: stats.mtimeMs,
});

function kindOf(stats: Stats): PathInfo["kind"] {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "folder";
  if (stats.isSymbolicLink()) return "link";
  if (stats.isFIFO()) return "fifo";
  return stats.isSocket() ? "socket" : "device";
}
