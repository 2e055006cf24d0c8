/** A file that is read in pieces, from anywhere; what was opened stays readable when its name goes to another or away. */
import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";

export interface RangedFile {
  /** Tells this file from another under the same name. */
  readonly identity: string;
  /** In bytes, as of now. */
  size(): Promise<number>;
  /** Fills `into` from the byte `at` on; answers how many bytes there were, less only at the end. */
  read(into: Uint8Array, at: number): Promise<number>;
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
  return {
    identity: identity(stats),
    size: async () => (await handle.stat()).size,
    async read(into, at) {
      let filled = 0;
      while (filled < into.length) {
        const { bytesRead } = await handle.read(into, filled, into.length - filled, at + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return filled;
    },
    close: () => handle.close(),
  };
}

/** Which file has this name now, and how long it is; undefined where there is none. */
export async function identityOf(path: string): Promise<{ identity: string; size: number } | undefined> {
  try {
    const stats = await stat(path);
    return { identity: identity(stats), size: stats.size };
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as { code?: string }).code ?? "")) return undefined;
    throw error;
  }
}

const identity = ({ dev, ino }: { dev: number; ino: number }): string => `${dev}:${ino}`;
