/** The lines of a recording where they are: in its file. */
import { Buffer } from "node:buffer";
import type { RangedFile } from "../../platform/ranged_file.ts";
import { isObject } from "../../values.ts";
import type { RecordingLine } from "../recording/format.ts";
import type { RecordingIndex } from "./recording_index.ts";

/** Bytes between two lines that are read along rather than asked for once more. */
const nearby = 16 * 1024;
/** Bytes that are read at once, unless one line has more. */
const mostAtOnce = 4 * 1024 * 1024;

/** A stretch of the file that holds whole lines. */
export interface Stretch {
  /** Where its first byte is in the file. */
  offset: number;
  bytes: Uint8Array;
}

export class LineStore {
  #file: RangedFile;
  #users = 0;
  readonly #retired: RangedFile[] = [];

  constructor(file: RangedFile) {
    this.#file = file;
  }

  get file(): RangedFile {
    return this.#file;
  }

  /** The same lines are in another file now; who still reads may finish. */
  async moveTo(file: RangedFile): Promise<void> {
    this.#retired.push(this.#file);
    this.#file = file;
    await this.#closeRetired();
  }

  /** Bytes as they are now: offsets must have been looked up in the same breath. */
  async read(offset: number, size: number): Promise<Stretch> {
    this.#users++;
    try {
      const bytes = new Uint8Array(size);
      const there = await this.#file.read(bytes, offset);
      return { offset, bytes: there < size ? bytes.subarray(0, there) : bytes };
    } finally {
      this.#users--;
      await this.#closeRetired();
    }
  }

  /** Closes nothing that somebody reads at this moment. */
  async close(): Promise<void> {
    this.#retired.push(this.#file);
    await this.#closeRetired();
  }

  async #closeRetired(): Promise<void> {
    if (this.#users > 0) return;
    await Promise.all(this.#retired.splice(0).map((file) => file.close()));
  }
}

/** Reads and parses lines of the index, in the order asked for. */
export async function readLines(
  store: LineStore,
  index: RecordingIndex,
  lines: readonly number[],
): Promise<RecordingLine[]> {
  const { offsets, sizes } = index.columns;
  const order = [...new Set(lines)].sort((a, b) => a - b);
  const groups = groupNearby(order, offsets, sizes);
  const read = new Map<number, RecordingLine>();
  await Promise.all(groups.map(async ({ from, to, lines }) => {
    // Where each begins is known before anything is waited for: a thinned file may come in between.
    const places = lines.map((line) => [line, offsets[line]! - from, sizes[line]!] as const);
    const { bytes } = await store.read(from, to - from);
    for (const [line, start, size] of places) read.set(line, parsedLine(index, line, bytes, start, size));
  }));
  return lines.map((line) => read.get(line)!);
}

interface Group {
  from: number;
  to: number;
  lines: number[];
}

function groupNearby(order: readonly number[], offsets: Float64Array, sizes: Uint32Array): Group[] {
  const groups: Group[] = [];
  for (const line of order) {
    const from = offsets[line]!;
    const to = from + sizes[line]!;
    const last = groups.at(-1);
    if (last !== undefined && from - last.to <= nearby && to - last.from <= mostAtOnce) {
      last.to = to;
      last.lines.push(line);
    } else groups.push({ from, to, lines: [line] });
  }
  return groups;
}

/** A line may begin as it should and be broken further on: then what the index has of it is what there is. */
function parsedLine(
  index: RecordingIndex,
  line: number,
  bytes: Uint8Array,
  start: number,
  size: number,
): RecordingLine {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, Math.min(size, bytes.length - start))
    .toString("utf8");
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value as unknown as RecordingLine;
  } catch {
    // Shown as far as it goes, below.
  }
  const { actor, id } = index.actorOf(line);
  const at = index.at(line);
  const kind = index.kind(line);
  if (kind === "event") {
    return { at, type: kind, actor, event: { type: index.eventType(line), abridged: text } };
  }
  return kind === "actor"
    ? { at, type: kind, actor, id }
    : { at, type: kind, actor, status: index.status(line), context: { abridged: text } };
}
