/** Takes from the bytes of a line what the index keeps, without making objects of the rest. */
import { type ActorStatus, actorStatuses } from "../recording/format.ts";
import { asciiBytes, LineCursor } from "./line_cursor.ts";
import { isVerdictEvent, isWorkNameEvent, nameLength, parseLine, type ScanResult } from "./parse_line.ts";
import type { LinePlace } from "./line_columns.ts";
import type { RecordingIndex } from "./recording_index.ts";

const closingBrace = 0x7d;
const at = asciiBytes('{"at":');
const actorLine = asciiBytes(',"type":"actor","actor":"');
const eventLine = asciiBytes(',"type":"event","actor":"');
const snapshotLine = asciiBytes(',"type":"snapshot","actor":"');
const id = asciiBytes(',"id":"');
const parent = asciiBytes(',"parent":"');
const machine = asciiBytes(',"machine":"');
const slot = asciiBytes(',"slot":"');
const source = asciiBytes(',"source":"');
const eventType = asciiBytes(',"event":{"type":"');
const plannedTest = asciiBytes(',"input":{"planned":{"test":{');
const nameKey = asciiBytes('"name":"');
const value = asciiBytes(',"value":');
const status = asciiBytes(',"status":"');
const taken = asciiBytes(',"taken":');
const error = asciiBytes(',"error":');
const context = asciiBytes(',"context":');
const thinned = asciiBytes(',"thinned":true}');

const statuses = actorStatuses.map((name) => [asciiBytes(`${name}"`), name] as const);

// One for all: a line is scanned in one go, and there are millions.
const cursor = new LineCursor();
const place: LinePlace = { offset: 0, size: 0, at: 0 };

/**
 * The line is `bytes[start]` up to, not with, `bytes[end]`, without its line end; `offset` is where it begins in the file.
 * What begins as documented is read by its bytes; anything else is parsed whole, and what tells of an actor for good.
 */
export function scanLine(
  index: RecordingIndex,
  bytes: Uint8Array,
  start: number,
  end: number,
  offset: number,
): ScanResult {
  cursor.begin(bytes, start, end);
  place.offset = offset;
  place.size = end - start;
  try {
    if (bytes[end - 1] === closingBrace && scanUsual(index)) return "kept";
    return parseLine(index, bytes, start, end, offset);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // The reader reports it with the number of the line.
    return "broken";
  }
}

/** False where the line is not as usual. */
function scanUsual(index: RecordingIndex): boolean {
  if (!cursor.over(at)) return false;
  place.at = cursor.number();
  if (Number.isNaN(place.at)) return false;
  if (cursor.over(eventLine)) return scanEvent(index);
  if (cursor.over(snapshotLine)) return scanSnapshot(index);
  return cursor.over(actorLine) && scanActor(index);
}

function scanActor(index: RecordingIndex): boolean {
  const name = nextActor(index);
  if (name === none || !cursor.over(id)) return false;
  const idWord = nextWord(index);
  const parentActor = cursor.over(parent) ? nextActor(index) : -1;
  const machineWord = cursor.over(machine) ? nextWord(index) : -1;
  const slotWord = cursor.over(slot) ? nextWord(index) : -1;
  if (cursor.at !== cursor.end - 1 || [idWord, parentActor, machineWord, slotWord].includes(none)) {
    return false;
  }
  index.addActor(place, { name, id: idWord, parent: parentActor, machine: machineWord, slot: slotWord });
  return true;
}

function scanEvent(index: RecordingIndex): boolean {
  const actor = nextActor(index);
  if (actor === none) return false;
  const sender = cursor.over(source) ? nextActor(index) : -1;
  if (sender === none || !cursor.over(eventType) || !cursor.plainText()) return false;
  // What comes after the event may be its sender.
  if (cursor.bytes[cursor.end - 2] !== closingBrace) return false;
  const type = index.typeNames.of(cursor.bytes, cursor.from, cursor.to);
  const told = index.typeNames.text(type);
  if (isVerdictEvent(told) && cursor.has("failed")) return false;
  if (isWorkNameEvent(told, index.machineOf(actor))) {
    if (!testName()) return false;
    index.nameWork(actor, index.words.of(cursor.bytes, cursor.from, cursor.to));
  }
  index.addEvent(place, { actor, source: sender, type, failed: false });
  return true;
}

function scanSnapshot(index: RecordingIndex): boolean {
  const actor = nextActor(index);
  if (actor === none) return false;
  let state = -1;
  if (cursor.over(value)) {
    if (!cursor.value()) return false;
    state = index.valueOf(cursor.bytes, cursor.from, cursor.to);
  }
  const now = cursor.over(status) ? nextStatus() : undefined;
  if (now === undefined) return false;
  let transitions = -1;
  if (cursor.over(taken)) {
    if (!cursor.value()) return false;
    transitions = index.takenOf(cursor.bytes, cursor.from, cursor.to);
  }
  if (cursor.over(error) && !cursor.value()) return false;
  const kept = contextKind();
  if (kept === undefined) return false;
  index.addSnapshot(place, { actor, value: state, taken: transitions, status: now, context: kept });
  return true;
}

/** Walks over the name of a test that begins, where it stands as usual and is not to be cut. */
function testName(): boolean {
  const found = cursor.over(plannedTest) && cursor.member(nameKey) && cursor.plainText();
  return found && cursor.to > cursor.from && cursor.to - cursor.from <= nameLength;
}

/** Not to be read by its bytes; -1 is what is not there. */
const none = -2;

const nextActor = ({ actorNames }: RecordingIndex): number =>
  cursor.plainText() ? actorNames.of(cursor.bytes, cursor.from, cursor.to) : none;

const nextWord = ({ words }: RecordingIndex): number =>
  cursor.plainText() ? words.of(cursor.bytes, cursor.from, cursor.to) : none;

function nextStatus(): ActorStatus | undefined {
  for (const [name, status] of statuses) if (cursor.over(name)) return status;
  return undefined;
}

/** State of the context in the line; undefined if something else stands there. */
function contextKind(): "written" | "thinned" | "same" | undefined {
  if (cursor.at === cursor.end - 1) return "same";
  if (cursor.over(context)) return "written";
  return cursor.over(thinned) && cursor.at === cursor.end ? "thinned" : undefined;
}
