/** Rewrites a file of lines while it goes on growing: into a new file, which replaces it once it is whole. */
import { Buffer } from "node:buffer";
import { readSync, writeSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { BatchedFile } from "./batched_file.ts";
import { errorMessage } from "../core/errors.ts";
import { isAbsent, lstat, removeIfExists } from "./files.ts";
import { log } from "./log.ts";

/** Looked through at once: some milliseconds' work. */
const changedBytes = 512 * 1024;
/** Copied at once: the copy must come to an end, however fast the file grows. */
const copiedBytes = 4 * 1024 * 1024;

export interface RewriteOptions {
  /** Number of lines, from the first on, that are offered to `change`; all after them stay as they are. */
  lines: number;
  /** Returns the replacement of the line, without its newline; undefined leaves it. */
  change(line: Buffer, number: number): string | undefined;
  /** Asked again and again: the file is closed, so its rest stays as it is. */
  stopped(): boolean;
}

const besideOf = (file: BatchedFile): string => `${file.path}.thinning`;

/** Removes the temporary file of a process that was killed while it rewrote a file. */
export async function removeUnfinished(file: BatchedFile): Promise<void> {
  const beside = besideOf(file);
  try {
    if ((await lstat(beside)).isFile) await removeIfExists(beside);
  } catch (error) {
    if (!isAbsent(error)) log.warn(`Cannot remove ${beside}: ${errorMessage(error)}`);
  }
}

/**
 * Rewrites the file. A reader sees the old one or the new one, whole; lines that are written meanwhile are in
 * both.
 * @returns false where it was stopped
 * @throws errors of reading and writing; then the file is as it was
 */
export async function rewriteLines(file: BatchedFile, rewrite: RewriteOptions): Promise<boolean> {
  const beside = besideOf(file);
  const from = await open(file.path, "r");
  let to: FileHandle | undefined;
  try {
    // Created, not opened: a link that lies there would lead into another file.
    to = await open(beside, "wx", (await from.stat()).mode & 0o777);
    const done = await copy(file, from, to, beside, lineChanger(rewrite), rewrite.stopped);
    if (!done) await removeIfExists(beside);
    return done;
  } catch (error) {
    if (to !== undefined) await removeIfExists(beside);
    throw error;
  } finally {
    await from.close();
    await to?.close();
  }
}

async function copy(
  file: BatchedFile,
  from: FileHandle,
  to: FileHandle,
  beside: string,
  changer: LineChanger,
  stopped: () => boolean,
): Promise<boolean> {
  let position = 0;
  while (!changer.done || file.size - position > copiedBytes) {
    if (stopped()) return false;
    if (file.size === position) file.flush();
    const most = changer.done ? copiedBytes : changedBytes;
    const { bytesRead, buffer } = await from.read(Buffer.allocUnsafe(most), 0, most, position);
    position += bytesRead;
    writeAll(to, changer.changed(buffer.subarray(0, bytesRead)));
  }
  // From here on nothing else is done meanwhile, so that no line is written to the old file only.
  file.flush();
  // Also by that: the disk may just have become full, of this copy.
  if (stopped()) return false;
  const rest = Buffer.allocUnsafe(file.size - position);
  for (let at = 0; at < rest.length;) at += readSync(from.fd, rest, at, rest.length - at, position + at);
  writeAll(to, rest);
  file.replaceBy(beside);
  return true;
}

function writeAll({ fd }: FileHandle, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
}

interface LineChanger {
  /** All lines that may change have been seen. */
  readonly done: boolean;
  /** Takes the file piece by piece; what has begun of a line waits for its end. */
  changed(chunk: Buffer): Buffer;
}

function lineChanger({ lines, change }: RewriteOptions): LineChanger {
  let number = 0;
  let begun: Buffer = Buffer.alloc(0);
  return {
    get done() {
      return number >= lines;
    },
    changed(chunk) {
      const all = begun.length === 0 ? chunk : Buffer.concat([begun, chunk]);
      const pieces: Buffer[] = [];
      let start = 0;
      for (let end = all.indexOf(10); end !== -1 && number < lines; end = all.indexOf(10, start)) {
        const other = change(all.subarray(start, end), number++);
        pieces.push(other === undefined ? all.subarray(start, end + 1) : Buffer.from(`${other}\n`));
        start = end + 1;
      }
      const rest = all.subarray(start);
      begun = number < lines ? rest : Buffer.alloc(0);
      return Buffer.concat(number < lines ? pieces : [...pieces, rest]);
    },
  };
}
