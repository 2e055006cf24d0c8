/** Takes from the bytes of a line what the index keeps, without making objects of the rest. */
import { Buffer } from "node:buffer";
import type { ActorLine, ActorStatus, RecordingLine } from "../recording/format.ts";
import { isObject } from "../../values.ts";
import { typeOf } from "./event_text.ts";
import { describeActor, firstFormat } from "./first_format.ts";
import type { RecordingIndex } from "./recording_index.ts";

/** `kept`: it is in the index now; `unknown`: of a kind that this version does not know; `broken`: no line of a recording. */
export type Scanned = "kept" | "unknown" | "broken";

const ascii = (text: string): Uint8Array => Buffer.from(text, "latin1");
const beforeAt = ascii('{"at":');
const beforeEventActor = ascii(',"type":"event","actor":"');
const beforeSnapshotActor = ascii(',"type":"snapshot","actor":"');
const beforeSource = ascii(',"source":"');
const beforeEventType = ascii(',"event":{"type":"');
const beforeValue = ascii(',"value":');
const beforeStatus = ascii(',"status":"');
const beforeTaken = ascii(',"taken":');
const beforeError = ascii(',"error":');
const beforeContext = ascii(',"context":');
const thinnedEnd = ascii(',"thinned":true}');
const quote = 0x22;
const backslash = 0x5c;
const closingBrace = 0x7d;

const statusNames: readonly (readonly [Uint8Array, ActorStatus])[] = [
  [ascii('active"'), "active"],
  [ascii('done"'), "done"],
  [ascii('stopped"'), "stopped"],
  [ascii('error"'), "error"],
];

/**
 * The line is `bytes[start]` up to, not with, `bytes[end]`, without its line end; `offset` is where it begins in the file.
 * What begins as documented is read by its bytes; anything else is parsed whole.
 */
export function scanLine(
  index: RecordingIndex,
  bytes: Uint8Array,
  start: number,
  end: number,
  offset: number,
): Scanned {
  try {
    return scanBytes(index, bytes, start, end, offset)
      ? "kept"
      : parseWhole(index, bytes, start, end, offset);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // Told by who reads, with the number of the line.
    return "broken";
  }
}

/** False where the line is not as usual. */
function scanBytes(
  index: RecordingIndex,
  bytes: Uint8Array,
  start: number,
  end: number,
  offset: number,
): boolean {
  if (bytes[end - 1] !== closingBrace || !begins(bytes, start, beforeAt)) return false;
  const number = start + beforeAt.length;
  const type = endOfNumber(bytes, number);
  if (type === number) return false;
  const at = toNumber(bytes, number, type);
  const isEvent = begins(bytes, type, beforeEventActor);
  if (!isEvent && !begins(bytes, type, beforeSnapshotActor)) return false;
  const actor = type + (isEvent ? beforeEventActor : beforeSnapshotActor).length;
  const rest = endOfPlainText(bytes, actor, end);
  if (rest === -1) return false;
  return isEvent
    ? scanEvent(index, bytes, rest + 1, end, offset, end - start, at, actor)
    : scanSnapshot(index, bytes, rest + 1, end, offset, end - start, at, actor);
}

function scanEvent(
  index: RecordingIndex,
  bytes: Uint8Array,
  rest: number,
  end: number,
  offset: number,
  size: number,
  at: number,
  actor: number,
): boolean {
  let source = -1;
  let sourceEnd = -1;
  const actorEnd = rest - 1;
  if (begins(bytes, rest, beforeSource)) {
    source = rest + beforeSource.length;
    sourceEnd = endOfPlainText(bytes, source, end);
    if (sourceEnd === -1) return false;
    rest = sourceEnd + 1;
  }
  if (!begins(bytes, rest, beforeEventType)) return false;
  const type = rest + beforeEventType.length;
  const typeEnd = endOfPlainText(bytes, type, end);
  if (typeEnd === -1) return false;
  const heard = index.actorNames.of(bytes, actor, actorEnd);
  const sender = source === -1 ? -1 : index.actorNames.of(bytes, source, sourceEnd);
  index.addEvent(offset, size, at, heard, sender, index.typeNames.of(bytes, type, typeEnd));
  return true;
}

function scanSnapshot(
  index: RecordingIndex,
  bytes: Uint8Array,
  rest: number,
  end: number,
  offset: number,
  size: number,
  at: number,
  actor: number,
): boolean {
  const actorEnd = rest - 1;
  const value = begins(bytes, rest, beforeValue) ? rest + beforeValue.length : -1;
  const valueEnd = value === -1 ? -1 : endOfValue(bytes, value, end);
  if (value !== -1) rest = valueEnd;
  if (!begins(bytes, rest, beforeStatus)) return false;
  rest += beforeStatus.length;
  const named = statusNames.find(([name]) => begins(bytes, rest, name));
  if (named === undefined) return false;
  rest += named[0].length;
  const taken = begins(bytes, rest, beforeTaken) ? rest + beforeTaken.length : -1;
  const takenEnd = taken === -1 ? -1 : endOfValue(bytes, taken, end);
  if (taken !== -1) rest = takenEnd;
  if (begins(bytes, rest, beforeError)) rest = endOfValue(bytes, rest + beforeError.length, end);
  const context = contextAt(bytes, rest, end);
  if (context === undefined) return false;
  const valueNumber = value === -1 ? -1 : index.valueOf(bytes, value, valueEnd);
  const takenNumber = taken === -1 ? -1 : index.takenOf(bytes, taken, takenEnd);
  const mover = index.actorNames.of(bytes, actor, actorEnd);
  index.addSnapshot(offset, size, at, mover, valueNumber, takenNumber, { status: named[1], context });
  return true;
}

/** What stands where the context would; undefined where that is something else. */
function contextAt(bytes: Uint8Array, at: number, end: number): "written" | "thinned" | "same" | undefined {
  if (at === end - 1) return "same";
  if (begins(bytes, at, beforeContext)) return "written";
  return at === end - thinnedEnd.length && begins(bytes, at, thinnedEnd) ? "thinned" : undefined;
}

/** Lines that introduce actors, and those written in another order. @throws {SyntaxError} for those that are none */
function parseWhole(
  index: RecordingIndex,
  bytes: Uint8Array,
  start: number,
  end: number,
  offset: number,
): Scanned {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString("utf8");
  const line: unknown = JSON.parse(text);
  if (!isObject(line)) return "broken";
  if (typeof line["type"] === "string" && !known.has(line["type"])) return "unknown";
  if (typeof line["at"] !== "number" || typeof line["actor"] !== "string") return "broken";
  return keep(index, line as unknown as RecordingLine, offset, end - start);
}

const known = new Set<string>(["actor", "event", "snapshot"] satisfies RecordingLine["type"][]);

function keep(index: RecordingIndex, line: RecordingLine, offset: number, size: number): Scanned {
  const actor = numberOf(index.actorNames, line.actor);
  if (line.type === "actor") {
    const named = { ...line, id: nameIn(line) };
    const isOld = index.header.format === firstFormat;
    index.addActor(offset, size, isOld ? describeActor(named) : named, actor);
    return "kept";
  }
  if (line.type === "event") {
    if (!isObject(line.event)) return "broken";
    const source = typeof line.source === "string" ? numberOf(index.actorNames, line.source) : -1;
    index.addEvent(offset, size, line.at, actor, source, numberOf(index.typeNames, typeOf(line.event)));
    return "kept";
  }
  const status = statusNames.find(([, name]) => name === line.status)?.[1];
  if (status === undefined) return "broken";
  const value = line.value === undefined ? -1 : index.valueOf(...jsonOf(line.value));
  const taken = Array.isArray(line.taken) ? index.takenOf(...jsonOf(line.taken)) : -1;
  const context = line.thinned ? "thinned" : line.context === undefined ? "same" : "written";
  index.addSnapshot(offset, size, line.at, actor, value, taken, { status, context });
  return "kept";
}

const nameIn = ({ actor, id }: ActorLine): string => typeof id === "string" ? id : actor;

type Names = RecordingIndex["actorNames"];

function numberOf(names: Names, text: string): number {
  const bytes = Buffer.from(text);
  return names.of(bytes, 0, bytes.length);
}

function jsonOf(value: unknown): [Uint8Array, number, number] {
  const bytes = Buffer.from(JSON.stringify(value));
  return [bytes, 0, bytes.length];
}

function begins(bytes: Uint8Array, at: number, expected: Uint8Array): boolean {
  for (let place = 0; place < expected.length; place++) {
    if (bytes[at + place] !== expected[place]) return false;
  }
  return true;
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;

/** Just after digits, with one point among them at most. */
function endOfNumber(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isDigit(bytes[at])) at++;
  if (at === start || bytes[at] !== 0x2e) return at;
  at++;
  while (isDigit(bytes[at])) at++;
  return at;
}

function toNumber(bytes: Uint8Array, start: number, end: number): number {
  let digits = 0;
  let scale = 1;
  let pointed = false;
  for (let at = start; at < end; at++) {
    if (bytes[at] === 0x2e) pointed = true;
    else {
      digits = digits * 10 + bytes[at]! - 0x30;
      if (pointed) scale *= 10;
    }
  }
  return digits / scale;
}

/** Where the quote stands that ends this text; -1 where it ends nowhere, or is written with escapes. */
function endOfPlainText(bytes: Uint8Array, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    if (bytes[at] === quote) return at;
    if (bytes[at] === backslash) return -1;
  }
  return -1;
}

/** Just after the JSON value that begins here; `end` where it does not end. */
function endOfValue(bytes: Uint8Array, start: number, end: number): number {
  let depth = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === quote) {
      at = endOfText(bytes, at + 1, end);
      if (depth === 0) return Math.min(at + 1, end);
    } else if (byte === 0x7b || byte === 0x5b) depth++;
    else if (byte === closingBrace || byte === 0x5d) {
      if (depth <= 1) return depth === 0 ? at : at + 1;
      depth--;
    } else if (depth === 0 && byte === 0x2c) return at;
  }
  return end;
}

/** Where the quote stands that ends this text, escapes or not. */
function endOfText(bytes: Uint8Array, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    if (bytes[at] === quote) return at;
    if (bytes[at] === backslash) at++;
  }
  return end;
}
