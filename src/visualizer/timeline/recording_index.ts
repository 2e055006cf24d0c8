/** The index of a recording, filled line by line by the reader of the file. */
import {
  type ActorStatus,
  actorStatuses,
  type RecordingHeader,
  type RecordingLine,
  type StateValue,
} from "../recording/format.ts";
import { StringInterner } from "./string_interner.ts";
import { LineColumns, lineKinds, type LinePlace } from "./line_columns.ts";
import type { IndexedActor, TimelineIndex } from "./timeline_index.ts";
import { findMachine } from "./active_states.ts";

const contexts = ["same", "written", "thinned"] as const;
type Context = typeof contexts[number];

/** Reads lines of the file, where the columns say that they are. */
export type ReadLines = (lines: readonly number[]) => Promise<RecordingLine[]>;

interface GrowingActor extends IndexedActor {
  id: string;
  parent: GrowingActor | undefined;
  machine: string | undefined;
  slot: string | undefined;
  name: string | undefined;
  toldFailure: boolean;
  ended: number;
  heard: number[];
  snapshots: number[];
  readonly children: GrowingActor[];
}

/** An `actor` line as numbers: of its own and its parent's name, and of words; -1 for what the line lacks. */
interface ActorNumbers {
  name: number;
  id: number;
  parent: number;
  machine: number;
  slot: number;
}

/** An `event` line as numbers: of the names of receiver and sender, and of the type; -1 for no sender. */
interface EventNumbers {
  actor: number;
  source: number;
  type: number;
  /** Whether it holds a verdict that is a failure. */
  failed: boolean;
}

/** A `snapshot` line: numbers of the actor's name, of the state and of the transitions; -1 for what the line lacks. */
interface SnapshotNumbers {
  actor: number;
  value: number;
  taken: number;
  status: ActorStatus;
  context: Context;
}

export class RecordingIndex implements TimelineIndex {
  readonly header: RecordingHeader;
  readonly columns = new LineColumns();
  readonly actors: GrowingActor[] = [];
  /** Names as they stand in the file; states and lists of transitions as the bytes of their JSON. */
  readonly actorNames = new StringInterner();
  readonly typeNames = new StringInterner();
  /** Ids of actors, machines and slots. */
  readonly words = new StringInterner();
  readonly valueNames = new StringInterner();
  readonly takenNames = new StringInterner();
  /** Actors by the number of their name. */
  readonly #byName: GrowingActor[] = [];
  readonly #values: StateValue[] = [];
  readonly #taken: (readonly string[])[] = [];
  readonly #read: ReadLines;

  constructor(header: RecordingHeader, read: ReadLines) {
    this.header = header;
    this.#read = read;
  }

  get length(): number {
    return this.columns.length;
  }

  addActor(place: LinePlace, { name, id, parent, machine, slot }: ActorNumbers): void {
    const actor = this.#actorNamed(name);
    this.columns.add(place, lineKinds.actor, actor.number, -1, -1);
    if (id !== -1) actor.id = this.words.text(id);
    const told = { machine: this.#word(machine), slot: this.#word(slot) };
    const isOld = this.header.format === firstFormat;
    Object.assign(actor, isOld ? { ...told, ...guessMachine(actor.id, parent !== -1) } : told);
    const older = this.#byName[parent];
    // A parent is older than its children: other lines are wrong, and could make a circle.
    if (older === undefined || older.number >= actor.number || actor.parent !== undefined) return;
    actor.parent = older;
    older.children.push(actor);
  }

  addEvent(place: LinePlace, { actor, source, type, failed }: EventNumbers): void {
    const target = this.#actorNamed(actor);
    const sender = source === -1 ? undefined : this.#actorNamed(source);
    target.heard.push(this.columns.add(place, lineKinds.event, target.number, sender?.number ?? -1, type));
    const isWord = sender?.parent === target && sender.ended === Infinity &&
      !this.typeNames.text(type).startsWith("xstate.");
    if (isWord) sender.toldFailure = failed;
  }

  /** @param word its number among the words */
  nameWork(actor: number, word: number): void {
    this.#actorNamed(actor).name = this.words.text(word);
  }

  /** The machine of the actor with this number of a name. */
  machineOf = (name: number): string | undefined => this.#byName[name]?.machine;

  addSnapshot(place: LinePlace, { actor, value, taken, status, context }: SnapshotNumbers): void {
    const mover = this.#actorNamed(actor);
    const bits = lineKinds.snapshot | actorStatuses.indexOf(status) << 2 | contexts.indexOf(context) << 4;
    const line = this.columns.add(place, bits, mover.number, value, taken);
    mover.snapshots.push(line);
    if (status !== "active" && mover.ended === Infinity) this.#end(mover, line);
  }

  /** The number of a state, given as JSON. @throws {SyntaxError} where that is none */
  valueOf(bytes: Uint8Array, start: number, end: number): number {
    const number = this.valueNames.of(bytes, start, end);
    if (this.#values[number] === undefined) this.#values[number] = JSON.parse(this.valueNames.text(number));
    return number;
  }

  /** The number of a list of transitions, given as JSON. @throws {SyntaxError} where that is none */
  takenOf(bytes: Uint8Array, start: number, end: number): number {
    const number = this.takenNames.of(bytes, start, end);
    if (this.#taken[number] !== undefined) return number;
    const taken: unknown = JSON.parse(this.takenNames.text(number));
    if (!isListOfTexts(taken)) throw new SyntaxError("Transitions are a list of names");
    this.#taken[number] = taken;
    return number;
  }

  actor(name: string): GrowingActor | undefined {
    const number = this.actorNames.find(name);
    return number === undefined ? undefined : this.#byName[number];
  }

  kind(line: number): RecordingLine["type"] {
    const kind = this.columns.kinds[line]! & 3;
    return kind === lineKinds.event ? "event" : kind === lineKinds.snapshot ? "snapshot" : "actor";
  }

  at = (line: number): number => this.columns.times[line]!;
  actorOf = (line: number): IndexedActor => this.actors[this.columns.actors[line]!]!;

  source(line: number): IndexedActor | undefined {
    return this.actors[this.columns.firsts[line]!];
  }

  eventType = (line: number): string => this.typeNames.text(this.columns.seconds[line]!);

  value(line: number): StateValue | undefined {
    return this.#values[this.columns.firsts[line]!];
  }

  status = (line: number): ActorStatus => actorStatuses[this.columns.kinds[line]! >> 2 & 3]!;
  taken = (line: number): readonly string[] => this.#taken[this.columns.seconds[line]!] ?? [];
  context = (line: number): Context => contexts[this.columns.kinds[line]! >> 4]!;

  get eventTypes(): readonly string[] {
    return Array.from({ length: this.typeNames.size }, (_, number) => this.typeNames.text(number));
  }

  eventsOfTypes(fits: (type: string) => boolean, from: number, to: number): number[] {
    const fitting = Uint8Array.from(this.eventTypes, (type) => fits(type) ? 1 : 0);
    const { kinds, seconds } = this.columns;
    const lines: number[] = [];
    for (let line = from; line < to; line++) {
      if (kinds[line] === lineKinds.event && fitting[seconds[line]!] === 1) lines.push(line);
    }
    return lines;
  }

  read = (lines: readonly number[]): Promise<RecordingLine[]> => this.#read(lines);

  /** Most actors are short-lived work: what its lists reserved for more is given back. */
  #end(actor: GrowingActor, line: number): void {
    actor.ended = line;
    actor.heard = actor.heard.slice();
    actor.snapshots = actor.snapshots.slice();
  }

  #word = (word: number): string | undefined => word === -1 ? undefined : this.words.text(word);

  /**
   * Finds or creates an actor. One without an `actor` line began before the recording; its id is its name in the
   * recording.
   */
  #actorNamed(name: number): GrowingActor {
    const known = this.#byName[name];
    if (known !== undefined) return known;
    const actor = this.actorNames.text(name);
    const begun: GrowingActor = {
      number: this.actors.length,
      actor,
      id: actor,
      parent: undefined,
      machine: undefined,
      slot: undefined,
      name: undefined,
      toldFailure: false,
      line: this.length,
      ended: Infinity,
      heard: [],
      snapshots: [],
      children: [],
    };
    this.actors.push(begun);
    this.#byName[name] = begun;
    return begun;
  }
}

const isListOfTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

/** Guesses the machine of an actor from its name, since format 1 of recordings does not have it. */
const firstFormat = "pth-recording/1";

/** The machine or slot of an actor whose name is one that PTH gives: `test-12`, `0.connection.connecting`. */
function guessMachine(id: string, hasParent: boolean): { machine?: string; slot?: string } {
  if (!hasParent) return { machine: "harness" };
  // Work has the name of the state that invoked it; its slot is unknown.
  if (/^\d+\./.test(id)) return { slot: id };
  const machine = id.replace(/-.*$/s, "");
  return findMachine(machine) === undefined ? {} : { machine };
}
