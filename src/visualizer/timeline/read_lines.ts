/** Reads lines of a recording from where they are in its file. */
import { Buffer } from "node:buffer";
import type { RangedFile } from "../../platform/ranged_file.ts";
import { isObject } from "../../core/values.ts";
import type { RecordingLine } from "../recording/format.ts";
import type { RecordingIndex } from "./recording_index.ts";

/** Bytes between two lines that are read along rather than asked for once more. */
const nearby = 16 * 1024;
/** Bytes that are read at once, unless one line has more. */
const mostAtOnce = 4 * 1024 * 1024;

/** Reads and parses lines of the index, in the order asked for. */
export function readLines(
  file: RangedFile,
  index: RecordingIndex,
  lines: readonly number[],
): RecordingLine[] {
  const { offsets, sizes } = index.columns;
  const order = [...new Set(lines)].sort((a, b) => a - b);
  const read = new Map<number, RecordingLine>();
  for (const { from, to, lines } of groupNearby(order, offsets, sizes)) {
    const bytes = readBytes(file, from, to - from);
    for (const line of lines) {
      read.set(line, parsedLine(index, line, bytes, offsets[line]! - from, sizes[line]!));
    }
  }
  return lines.map((line) => read.get(line)!);
}

/** Reads so many bytes, or fewer at the end of the file. */
export function readBytes(file: RangedFile, from: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  const there = file.read(bytes, from);
  return there < size ? bytes.subarray(0, there) : bytes;
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
