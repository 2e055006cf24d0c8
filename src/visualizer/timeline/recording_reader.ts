/** Reads a recording from its beginning to where it ends now, and on from there when there is more. */
import { Buffer } from "node:buffer";
import { setImmediate as otherWork } from "node:timers/promises";
import type { RangedFile } from "../../platform/ranged_file.ts";
import { longestMessage } from "../../platform/line_splitter.ts";
import { isObject, jsonIn } from "../../core/values.ts";
import type { RecordingIndex } from "./recording_index.ts";
import { scanLine } from "./scan_line.ts";
import { PthError } from "../../core/errors.ts";
import { recordingFormat, type RecordingHeader } from "../recording/format.ts";
import { count } from "../../core/text.ts";

/** Bytes that are read at once. */
const atOnce = 1024 * 1024;
/** Milliseconds after which other work has its turn. */
const longestTurn = 15;
const lineFeed = 10;
const carriageReturn = 13;
/** Line numbers that are listed in a problem; further ones are only counted. */
const mostTold = 5;

/** The first line, without its end. `next`: where the second begins; absent where the first may still go on. */
export function readFirstLine(file: RangedFile): { text: string; next?: number } {
  const bytes = new Uint8Array(longestHeader);
  const begun = bytes.subarray(0, file.read(bytes, 0));
  const end = begun.indexOf(lineFeed);
  const text = Buffer.from(begun.buffer, 0, end === -1 ? begun.length : end).toString("utf8").trim();
  if (end !== -1) return { text, next: end + 1 };
  return begun.length < bytes.length ? { text } : { text, next: bytes.length };
}

export class RecordingReader {
  /** Byte offset of the next line to read. */
  offset: number;
  #buffer = new Uint8Array(atOnce);
  /** Number of the line in the file, from 1, that begins at `offset`. */
  #fileLine = 2;
  /** A line that no memory should be spent on is passed over to its end. */
  #passingOver = false;
  readonly #broken: number[] = [];
  #brokenCount = 0;
  #unknownCount = 0;
  #cutOff = false;

  /** @param offset just after the header */
  constructor(offset: number) {
    this.offset = offset;
  }

  /**
   * Adds what the file has more to the index, whole lines only, and up to `most` lines in all.
   * @returns true where there was something
   */
  async readOn(
    file: RangedFile,
    index: RecordingIndex,
    { most = Infinity, onRead }: { most?: number; onRead?: (offset: number) => void } = {},
  ): Promise<boolean> {
    const before = this.offset;
    let turn = performance.now();
    while (index.length < most) {
      const size = file.read(this.#buffer, this.offset);
      const used = this.#scan(index, size, most);
      this.offset += used;
      if (used === 0 && size === this.#buffer.length) this.#makeRoom();
      else if (used === 0) break;
      onRead?.(this.offset);
      if (performance.now() - turn < longestTurn) continue;
      await otherWork();
      turn = performance.now();
    }
    return this.offset > before;
  }

  /** Reads what is left at the end: the last line, or the beginning of one. */
  finish(file: RangedFile, index: RecordingIndex): void {
    const size = file.read(this.#buffer, this.offset);
    if (size === 0) return;
    const whole = !this.#passingOver && isJson(this.#buffer, size) &&
      scanLine(index, this.#buffer, 0, size, this.offset) === "kept";
    if (whole) this.offset += size;
    else this.#cutOff = true;
  }

  get problems(): string[] {
    const problems: string[] = [];
    if (this.#cutOff) problems.push("The last line is cut off; everything before it is shown.");
    if (this.#brokenCount > 0) {
      const more = this.#brokenCount - this.#broken.length;
      const numbers = this.#broken.join(", ") + (more > 0 ? ` and ${more} more` : "");
      problems.push(
        this.#brokenCount === 1
          ? `Line ${numbers} is not a line of a recording and was left out.`
          : `${this.#brokenCount} lines are not lines of a recording and were left out: ${numbers}.`,
      );
    }
    if (this.#unknownCount > 0) {
      problems.push(
        `${count(this.#unknownCount, "line")} of a kind that this version of PTH does not know ` +
          `${this.#unknownCount === 1 ? "was" : "were"} left out.`,
      );
    }
    return problems;
  }

  /** The bytes up to the end of the last whole line. */
  #scan(index: RecordingIndex, size: number, most: number): number {
    const bytes = this.#buffer;
    const filled = size < bytes.length ? bytes.subarray(0, size) : bytes;
    let start = 0;
    for (let end = filled.indexOf(lineFeed); end !== -1; end = filled.indexOf(lineFeed, start)) {
      if (this.#passingOver) this.#passingOver = false;
      else this.#take(index, start, bytes[end - 1] === carriageReturn ? end - 1 : end);
      this.#fileLine++;
      start = end + 1;
      if (index.length >= most) break;
    }
    return start;
  }

  #take(index: RecordingIndex, start: number, end: number): void {
    if (start >= end) return;
    const scanned = scanLine(index, this.#buffer, start, end, this.offset + start);
    if (scanned === "broken") this.#tellBroken();
    else if (scanned === "unknown") this.#unknownCount++;
  }

  #tellBroken(): void {
    this.#brokenCount++;
    if (this.#broken.length < mostTold) this.#broken.push(this.#fileLine);
  }

  /** A line that is larger than the buffer. */
  #makeRoom(): void {
    if (this.#buffer.length < longestMessage) {
      this.#buffer = new Uint8Array(this.#buffer.length * 2);
      return;
    }
    if (!this.#passingOver) this.#tellBroken();
    this.#passingOver = true;
    this.offset += this.#buffer.length;
  }
}

/** A line may look whole as far as the index looks, and still lack its last brace. */
const isJson = (bytes: Uint8Array, size: number): boolean =>
  jsonIn(Buffer.from(bytes.buffer, bytes.byteOffset, size).toString("utf8")) !== undefined;

/** In bytes: a first line that is longer is no header. */
const longestHeader = 64 * 1024;

const newest = Number(recordingFormat.split("/")[1]);

const makeOne = "Make one with: pth run <target> --record FILE";

/**
 * Reads the header of a recording.
 * @throws {PthError} `INVALID_INPUT` for other files, `UNSUPPORTED` for a recording of a newer PTH
 */
export function readHeader(path: string, line: string): RecordingHeader {
  const header = jsonIn(line.replace(/^\uFEFF/, ""));
  const format = isObject(header) ? header["format"] : undefined;
  if (!isObject(header) || typeof format !== "string") throw notOne(path, line);
  if (format.startsWith("pth-mcp-recording/")) {
    throw refused(
      path,
      "it is a traffic recording of an MCP client and server, not a recording of a session",
      [
        `Read it with: pth replay <target> --recording ${path}`,
        makeOne,
      ],
    );
  }
  const version = Number(/^pth-recording\/(\d+)$/.exec(format)?.[1] ?? "0");
  if (version > newest) {
    throw new PthError(
      "UNSUPPORTED",
      `Cannot open ${path}: its format is ${format}, and this version of PTH reads up to ${recordingFormat}`,
      { format, next: ["Open it with the version of PTH that wrote it, or a later one"] },
    );
  }
  if (version === 0) throw refused(path, `its format is ${format}, not ${recordingFormat}`, [makeOne]);
  const { startedAt, pth } = header;
  return {
    ...header,
    format,
    startedAt: typeof startedAt === "string" ? startedAt : new Date(0).toISOString(),
    // Format 1 does not say.
    pth: typeof pth === "string" ? pth : "unknown",
  };
}

function notOne(path: string, line: string): PthError {
  if (line === "") return refused(path, "it is empty", [makeOne]);
  if (line.startsWith('{"format":"pth-recording/')) {
    return refused(path, "its first line is cut off: nothing was recorded", [makeOne]);
  }
  return refused(path, "it is not a recording of a session: the first line names no format", [makeOne]);
}

const refused = (path: string, why: string, next: string[]): PthError =>
  new PthError("INVALID_INPUT", `Cannot open ${path}: ${why}`, { next });

/** Error for a file that cannot be opened. */
export function cannotOpen(path: string, cause: unknown): PthError {
  const { code, message } = cause as { code?: string; message: string };
  const why = { ENOENT: "there is no such file", ENOTDIR: "there is no such file" }[code ?? ""] ??
    { EISDIR: "it is a folder", EINVAL: "it is not a regular file", EACCES: "permission denied" }[
      code ?? ""
    ] ?? message;
  return new PthError("INVALID_INPUT", `Cannot open ${path}: ${why}`, {
    next: ["Name the file of a recording", makeOne],
  }, { cause });
}
