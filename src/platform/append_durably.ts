/** Writes that must hold when the process is killed right after, and files that only one may create. */
import { open, statfs } from "node:fs/promises";
import { platform } from "./deno.ts";
import { remove, writeTextFile } from "./files.ts";

/** Appends and waits until the text is on the disk. The file is created with the mode given. */
export async function appendDurably(path: string, text: string, mode = 0o600): Promise<void> {
  const file = await open(path, "a", mode);
  try {
    await file.appendFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Creates a file with its whole text, or not at all: a reader never sees a half-written one.
 * @param mark Ends the name of the file that is there meanwhile, which a kill leaves.
 * @returns false when there is one already
 */
export async function createWhole(
  path: string,
  text: string,
  mark: string = crypto.randomUUID(),
): Promise<boolean> {
  const beside = `${path}.${mark}`;
  await writeTextFile(beside, text);
  try {
    await platform.link(beside, path);
    return true;
  } catch (error) {
    if (isAlreadyThere(error)) return false;
    throw error;
  } finally {
    await remove(beside);
  }
}

/** Free space of the file system that holds the path, in MiB, for an ordinary user. */
export async function freeSpaceMiB(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return Math.floor((bavail * bsize) / (1024 * 1024));
}

const isAlreadyThere = (error: unknown): boolean =>
  error instanceof platform.errors.AlreadyExists || (error as { code?: string }).code === "EEXIST";
