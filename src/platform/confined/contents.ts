/** Bytes of a file at a place that the walk leads to. */
import {
  closeSync,
  constants,
  fchmodSync,
  futimesSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { infoOf, infoOfOpen, kindText, type PathInfo } from "./info.ts";
import { errnoOf, hasProcFd, pathOnly, pathRefused, type PathRequest } from "./walk.ts";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/**
 * Holds fast to what lies at a path: `place` names the very same thing as long as the work lasts.
 * @returns undefined where there is nothing
 */
export function withOpened<T>(path: string, work: (place: string, info: PathInfo) => T): T | undefined {
  if (!hasProcFd) {
    const info = infoOf(path);
    return info && work(path, info);
  }
  let descriptor: number;
  try {
    descriptor = openSync(path, pathOnly | O_NOFOLLOW);
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return undefined;
    throw error;
  }
  try {
    return work(`/proc/self/fd/${descriptor}`, infoOfOpen(descriptor));
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Opens a file to read. It is looked at first: to open a fifo or a device may wait, or do something.
 * @returns undefined where there is none. @throws {PthError} `PATH_REFUSED` for anything but a file
 */
export const readingFile = <T>(
  path: string,
  asked: PathRequest,
  work: (descriptor: number, info: PathInfo) => T,
): T | undefined =>
  withOpened(path, (place, info) => {
    if (info.kind !== "file") {
      throw pathRefused(asked, asked.path, `is ${kindText(info.kind)}`, { kind: info.kind });
    }
    const descriptor = openSync(place, O_RDONLY | O_NONBLOCK | (hasProcFd ? 0 : O_NOFOLLOW));
    try {
      return work(descriptor, info);
    } finally {
      closeSync(descriptor);
    }
  });

/** @throws {PthError} `PATH_REFUSED` for more than `most` bytes, also where the file grows meanwhile */
export function bytesOf(descriptor: number, size: number, most: number, asked: PathRequest): Uint8Array {
  if (size > most) throw tooLarge(asked, most);
  const chunks: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    const chunk = new Uint8Array(Math.max(1, Math.min(size - total, 1 << 22) || 4096));
    const read = readSync(descriptor, chunk, 0, chunk.length, null);
    if (read === 0) break;
    total += read;
    if (total > most) throw tooLarge(asked, most);
    chunks.push(chunk.subarray(0, read));
  }
  if (chunks.length === 1) return chunks[0]!;
  const all = new Uint8Array(total);
  let offset = 0;
  for (const chunk of chunks) {
    all.set(chunk, offset);
    offset += chunk.length;
  }
  return all;
}

const tooLarge = (asked: PathRequest, most: number) =>
  pathRefused(asked, asked.path, `is larger than ${most} bytes`, { largest: most });

export interface WriteOptions {
  /** Permissions; without them, as the system gives. */
  mode?: number;
  /** Writes also in the place of a link, which is replaced and not followed, of a fifo, a socket or a device. */
  replace?: boolean;
}

/**
 * Writes a temporary file in the same folder and renames it: a reader sees the old file or the new one,
 * whole.
 * @throws {PthError} `PATH_REFUSED` where something other than a file is in its place, and for setuid
 */
export function writeFileAt(
  at: string,
  name: string,
  pour: (descriptor: number) => void,
  { mode, replace = false }: WriteOptions,
  asked: PathRequest,
): void {
  if (mode !== undefined && (mode & 0o7000) !== 0) {
    throw pathRefused(asked, asked.path, "would be setuid, setgid or sticky");
  }
  const there = infoOf(join(at, name))?.kind;
  if (there !== undefined && there !== "file" && (!replace || there === "folder")) {
    throw pathRefused(asked, asked.path, `is ${kindText(there)}`, { kind: there });
  }
  const beside = join(at, `.pth-${crypto.randomUUID()}.tmp`);
  try {
    const descriptor = openSync(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, (mode ?? 0o666) & 0o777);
    try {
      pour(descriptor);
      // The system's mask does not apply to permissions that were asked for.
      if (mode !== undefined) fchmodSync(descriptor, mode);
    } finally {
      closeSync(descriptor);
    }
    renameSync(beside, join(at, name));
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

/** A file that is being written. */
export interface FileSink {
  write(bytes: Uint8Array): void;
  /** Must be called once. */
  close(): void;
}

/** Makes a file where nothing is. @throws {PthError} `PATH_REFUSED` for setuid */
export function createAt(
  path: string,
  mode: number,
  modified: Date | undefined,
  asked: PathRequest,
): FileSink {
  if ((mode & 0o7000) !== 0) throw pathRefused(asked, asked.path, "would be setuid, setgid or sticky");
  const descriptor = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  return {
    write: (bytes) => copyBytes(descriptor, bytes),
    close() {
      try {
        fchmodSync(descriptor, mode);
        if (modified !== undefined) futimesSync(descriptor, modified, modified);
      } finally {
        closeSync(descriptor);
      }
    },
  };
}

export function copyBytes(descriptor: number, bytes: Uint8Array): void {
  for (let offset = 0; offset < bytes.length;) {
    offset += writeSync(descriptor, bytes, offset, bytes.length - offset);
  }
}

/** Copies the whole content of one open file into another. */
export function copyStream(source: number, target: number): void {
  const chunk = new Uint8Array(1 << 20);
  for (let read = 1; read > 0;) {
    read = readSync(source, chunk, 0, chunk.length, null);
    copyBytes(target, chunk.subarray(0, read));
  }
}
