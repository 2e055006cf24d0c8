/** A file that is read in pieces, from anywhere; what was opened stays readable when its name goes to another or away. */
import { constants, readSync } from "node:fs";
import { open, stat } from "node:fs/promises";

export interface RangedFile {
  /** Tells this file from another under the same name. */
  readonly identity: string;
  /** In bytes, as of now. */
  size(): Promise<number>;
  /**
   * Fills `into` from the byte `at` on; answers how many bytes there were, less only at the end. At once: on a busy host,
   * waiting for each of many pieces takes longer than reading them.
   */
  read(into: Uint8Array, at: number): number;
  close(): Promise<void>;
}

/** A pipe is opened without waiting for who writes. Errors are the system's own: `ENOENT`, `EACCES`, `EISDIR`. */
export async function openRanges(path: string): Promise<RangedFile> {
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const stats = await handle.stat();
  if (!stats.isFile()) {
    await handle.close();
    const code = stats.isDirectory() ? "EISDIR" : "EINVAL";
    throw Object.assign(new Error(`${path} is no file`), { code });
  }
  let closed = false;
  return {
    identity: identity(stats),
    size: async () => (await handle.stat()).size,
    read(into, at) {
      // The number of a file that is closed may be another's by now.
      if (closed) throw new Error(`${path} is closed`);
      let filled = 0;
      while (filled < into.length) {
        const bytes = readSync(handle.fd, into, filled, into.length - filled, at + filled);
        if (bytes === 0) break;
        filled += bytes;
      }
      return filled;
    },
    close() {
      closed = true;
      return handle.close();
    },
  };
}

/** Identity and size of the file that has this name now; undefined where there is none. */
export async function fileIdentity(path: string): Promise<{ identity: string; size: number } | undefined> {
  try {
    const stats = await stat(path);
    return { identity: identity(stats), size: stats.size };
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as { code?: string }).code ?? "")) return undefined;
    throw error;
  }
}

const identity = ({ dev, ino }: { dev: number; ino: number }): string => `${dev}:${ino}`;
