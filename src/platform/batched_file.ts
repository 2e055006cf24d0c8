/**
 * A file that is appended in batches: whole lines, and at most 50 ms after they were handed in. What a batch holds is written
 * in one go, without waiting: after a kill nothing but the last batch is missing.
 */
import { closeSync, fstatSync, openSync, renameSync, writeSync } from "node:fs";
import { type FileHandle, mkdir, open, realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { errorMessage, PthError } from "../core/errors.ts";
import { isNoSpace } from "./files.ts";
import { log } from "./log.ts";

export interface BatchedFile {
  /** Path without links. */
  readonly path: string;
  /** A file on a disk, and no pipe or terminal. */
  readonly regular: boolean;
  /** Bytes in the file. */
  readonly size: number;
  /** Takes whole lines. Throws nothing: a failure is reported to `onFailure`, once, and nothing is written from then on. */
  write(lines: string): void;
  flush(): void;
  /**
   * The file at `beside` takes its place; what is written from now on goes there.
   * @throws what renaming fails with; then everything stays as it is
   */
  replaceBy(beside: string): void;
  close(): void;
}

const utf8 = new TextEncoder();
const batchMs = 50;
const batchCharacters = 64 * 1024;

/**
 * Opens a file, emptied, for appending.
 * @param mode Permissions of a file that is made; without it, its owner alone reads it.
 * @throws {PthError} `INVALID_INPUT` when it cannot be written
 */
export async function openBatchedFile(
  path: string,
  onFailure: (error: PthError) => void,
  { mode = 0o600 }: { mode?: number } = {},
): Promise<BatchedFile> {
  try {
    await mkdir(dirname(path), { recursive: true });
    // Without standing still: a pipe opens when it gets a reader.
    const handle = await open(path, "w", mode);
    return new Batches(await realpath(path), handle, onFailure);
  } catch (cause) {
    throw new PthError("INVALID_INPUT", `Cannot write ${path}: ${errorMessage(cause)}`, {
      next: ["Name a file in a folder that can be written"],
    }, { cause });
  }
}

class Batches implements BatchedFile {
  readonly path: string;
  readonly regular: boolean;
  #size = 0;
  #fd: number;
  readonly #onFailure: (error: PthError) => void;
  #waiting = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #begun = 0;
  #closed = false;
  #close: () => void;

  constructor(path: string, handle: FileHandle, onFailure: (error: PthError) => void) {
    this.path = path;
    this.#fd = handle.fd;
    this.#onFailure = onFailure;
    this.regular = fstatSync(handle.fd).isFile();
    this.#close = () => {
      handle.close().catch((error: unknown) => this.#toldAtClosing(error));
    };
  }

  get size(): number {
    return this.#size;
  }

  write(lines: string): void {
    if (this.#closed) return;
    this.#waiting += lines;
    if (this.#waiting.length >= batchCharacters) this.flush();
    // While work goes on without a pause no timer fires.
    else if (this.#timer !== undefined && performance.now() - this.#begun > batchMs) this.flush();
    else this.#timer ??= this.#flushLater();
  }

  #flushLater(): ReturnType<typeof setTimeout> {
    this.#begun = performance.now();
    return setTimeout(() => this.flush(), batchMs);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting === "" || this.#closed) return;
    const bytes = utf8.encode(this.#waiting);
    this.#waiting = "";
    try {
      for (let at = 0; at < bytes.length;) at += writeSync(this.#fd, bytes, at);
      this.#size += bytes.length;
    } catch (cause) {
      this.#fail(cause);
    }
  }

  replaceBy(beside: string): void {
    const fd = openSync(beside, "a");
    try {
      renameSync(beside, this.path);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    this.#close();
    this.#fd = fd;
    this.#close = () => {
      try {
        closeSync(fd);
      } catch (error) {
        this.#toldAtClosing(error);
      }
    };
    this.#size = fstatSync(fd).size;
  }

  /** Closes; some file systems report only now that they could not store something, which cannot be repaired here. */
  #toldAtClosing(error: unknown): void {
    log.error(`Cannot close ${this.path}: ${errorMessage(error)}`);
  }

  #fail(cause: unknown): void {
    this.#end();
    this.#onFailure(
      new PthError(
        isNoSpace(cause) ? "DISK_FULL" : "INTERNAL",
        `Cannot continue writing ${this.path}: ${errorMessage(cause)}`,
        {
          next: ["Make room, or record to another disk"],
        },
        { cause },
      ),
    );
  }

  close(): void {
    this.flush();
    this.#end();
  }

  #end(): void {
    clearTimeout(this.#timer);
    if (!this.#closed) this.#close();
    this.#closed = true;
  }
}
