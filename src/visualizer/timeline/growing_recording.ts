/** A recording that is read while it is written: what is there, what comes, and the file that may take its place. */
import { setImmediate as otherWork, setTimeout as later } from "node:timers/promises";
import { errorMessage } from "../../core/errors.ts";
import { fileIdentity, openRanges, type RangedFile } from "../../platform/ranged_file.ts";
import type { RecordingHeader, RecordingLine } from "../recording/format.ts";
import { readLines } from "./read_lines.ts";
import { RecordingIndex } from "./recording_index.ts";
import { cannotOpen, readFirstLine, readHeader, RecordingReader } from "./recording_reader.ts";

/** Milliseconds between two looks at a file that grows. */
const everyMs = 50;
/** Lines that are read without letting others have their turn. */
const few = 20;

export class GrowingRecording {
  readonly index: RecordingIndex;
  /** File that holds the lines now; compaction replaces it. */
  file: RangedFile;
  growing = false;
  readonly #path: string;
  readonly #listeners = new Set<() => void>();
  readonly #closed = new AbortController();
  #reader: RecordingReader;
  #trouble: string | undefined;
  #following: Promise<void> | undefined;

  constructor(path: string, file: RangedFile, header: RecordingHeader, reader: RecordingReader) {
    this.#path = path;
    this.#reader = reader;
    this.file = file;
    this.index = new RecordingIndex(header, (lines) => this.#read(lines));
  }

  get closed(): boolean {
    return this.#closed.signal.aborted;
  }

  get problems(): string[] {
    return [...this.#reader.problems, ...(this.#trouble === undefined ? [] : [this.#trouble])];
  }

  /** Called after each reading that found something, and when nothing more will come. Answers how to stop. */
  onGrowth(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Reads what is there; `onProgress` receives the part of the file, 0 to 1. */
  async readAll(onProgress?: (part: number) => void): Promise<void> {
    const size = await this.file.size();
    const { columns } = this.index;
    const onRead = (offset: number) => {
      columns.part = Math.min(1, offset / size);
      onProgress?.(columns.part);
    };
    await this.#reader.readOn(this.file, this.index, { onRead });
    columns.part = 1;
  }

  /** Reads the last line, which may be incomplete. */
  finish(): void {
    this.#reader.finish(this.file, this.index);
  }

  /** Reads on until `ended`, and once more after that. */
  follow(ended: Promise<void>): void {
    this.growing = true;
    this.#following = this.#follow(ended);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#listeners.clear();
    await this.#following;
    await this.file.close();
  }

  /** Reads lines; for many of them, other work has its turn first. */
  async #read(lines: readonly number[]): Promise<RecordingLine[]> {
    if (lines.length > few) await otherWork();
    return readLines(this.file, this.index, lines);
  }

  async #follow(ended: Promise<void>): Promise<void> {
    const over = new AbortController();
    ended.then(() => over.abort());
    const either = AbortSignal.any([over.signal, this.#closed.signal]);
    try {
      for (let last = false; !last && !this.closed;) {
        last = over.signal.aborted;
        if (await this.#lookAgain()) this.#tell();
        if (!last) await pause(either);
      }
      this.finish();
    } catch (error) {
      this.#trouble = `Reading stopped: ${errorMessage(error)}`;
    }
    this.growing = false;
    this.#tell();
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** True where there was something. A file that is gone is read on as long as it is open. */
  async #lookAgain(): Promise<boolean> {
    const now = await fileIdentity(this.#path);
    if (now !== undefined && now.identity !== this.file.identity) await this.#moveToNew();
    else if (now !== undefined && now.size < this.#reader.offset) {
      throw new Error("the file was truncated by another program");
    }
    return await this.#reader.readOn(this.file, this.index);
  }

  /** The recorder replaces its file by a smaller one with the same lines; the positions stay. */
  async #moveToNew(): Promise<void> {
    const file = await openRanges(this.#path);
    const moved = await this.#readAsFar(file).catch(async (error) => {
      await file.close();
      throw error;
    });
    // Without a pause in between: offsets and file must belong together.
    this.index.columns.moveTo(moved.index.columns);
    this.#reader = moved.reader;
    const before = this.file;
    this.file = file;
    await before.close();
  }

  async #readAsFar(file: RangedFile): Promise<{ index: RecordingIndex; reader: RecordingReader }> {
    const { text, next } = readFirstLine(file);
    const header = readHeader(this.#path, text);
    const reader = new RecordingReader(next ?? 0);
    const index = new RecordingIndex(header, () => Promise.resolve([]));
    const { length } = this.index;
    await reader.readOn(file, index, { most: length });
    if (header.startedAt === this.index.header.startedAt && index.columns.isLike(this.index.columns)) {
      return { index, reader };
    }
    throw new Error("the file was replaced by another recording; open that one separately");
  }
}

/** @throws {PthError} `INVALID_INPUT`, `UNSUPPORTED` as `readHeader` and `cannotOpen` say */
export async function openGrowingRecording(path: string, ended?: Promise<void>): Promise<GrowingRecording> {
  const file = await openRanges(path).catch((error) => {
    throw cannotOpen(path, error);
  });
  try {
    const { text, next } = await begunLine(file, ended);
    const header = readHeader(path, text);
    return new GrowingRecording(path, file, header, new RecordingReader(next ?? await file.size()));
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The first line, waited for while there may be one. */
async function begunLine(
  file: RangedFile,
  ended: Promise<void> | undefined,
): Promise<{ text: string; next?: number }> {
  let over = ended === undefined;
  const stop = new AbortController();
  const end = () => {
    over = true;
    stop.abort();
  };
  ended?.then(end);
  for (;;) {
    const last = over;
    const first = readFirstLine(file);
    if (first.next !== undefined || last) return first;
    await pause(stop.signal);
  }
}

/** Until the next look, or until there is a reason to look at once. */
async function pause(signal: AbortSignal): Promise<void> {
  // The caller checks the signal itself.
  await later(everyMs, undefined, { signal }).catch(() => {});
}
