/**
 * Index of a recording: a few numbers for each line, and lists for each actor, so that questions need no second
 * reading.
 *
 * A line is identified by its number among the recording's lines, from 0, without the header: the position just
 * after it is `line + 1`. Only `read` accesses the disk. The index grows with the recording; facts of a line never
 * change. Names (actors, types, states) are stored once.
 */
import type { ActorStatus, RecordingHeader, RecordingLine, StateValue } from "../recording/format.ts";

export interface TimelineIndex {
  readonly header: RecordingHeader;
  /** Number of lines. */
  readonly length: number;
  /** All actors, in the order in which they began. */
  readonly actors: readonly IndexedActor[];
  /** By its name in the recording: `x:12`. */
  actor(name: string): IndexedActor | undefined;

  kind(line: number): RecordingLine["type"];
  /** Milliseconds since the recording's start. */
  at(line: number): number;
  /** The actor that the line is about: who began, who heard, who moved. */
  actorOf(line: number): IndexedActor;

  /** Sender of an event; undefined for one from outside. */
  source(line: number): IndexedActor | undefined;
  /** Type of an event; "" if it was truncated. */
  eventType(line: number): string;

  /** State of a snapshot; undefined for work. */
  value(line: number): StateValue | undefined;
  status(line: number): ActorStatus;
  /** Transitions that a snapshot took, in order. */
  taken(line: number): readonly string[];
  /**
   * Whether a snapshot's line holds a context (`written`), held one that compaction removed (`thinned`), or never
   * held one because nothing changed (`same`).
   */
  context(line: number): "written" | "thinned" | "same";

  /** Each type of event that occurs, once, in the order of its first. */
  readonly eventTypes: readonly string[];
  /** Lines of the events whose type fits, from line `from` up to, not with, line `to`; `fits` is asked once for each type. */
  eventsOfTypes(fits: (type: string) => boolean, from: number, to: number): number[];

  /** Reads and parses lines; many that lie side by side are read at once. */
  read(lines: readonly number[]): Promise<RecordingLine[]>;
}

export interface IndexedActor {
  /** Index in `actors`. */
  readonly number: number;
  /** Unique in the recording: `x:12`. */
  readonly actor: string;
  readonly id: string;
  readonly parent: IndexedActor | undefined;
  readonly machine: string | undefined;
  readonly slot: string | undefined;
  /** Name of its work: the name of a test, the tool of a call. */
  readonly name: string | undefined;
  /** Whether its last event to its parent was a verdict that is a failure. */
  readonly toldFailure: boolean;
  /** The `actor` line or, if there is none, the line that first names it. */
  readonly line: number;
  /** The snapshot with which it ended; Infinity where there is none: see `actorEnd`. */
  readonly ended: number;
  /** Lines of the events that it was sent, rising. */
  readonly heard: readonly number[];
  /** Lines of its snapshots, rising. */
  readonly snapshots: readonly number[];
  readonly children: readonly IndexedActor[];
}

/** The snapshot with which it ended, or with which one did that it does not outlive; Infinity while it lives. */
export const actorEnd = ({ ended, parent }: IndexedActor): number =>
  parent === undefined ? ended : Math.min(ended, actorEnd(parent));

/** Number of these rising lines that have happened at the position. */
export function countBefore(lines: readonly number[], position: number): number {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (lines[middle]! < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The last of these rising lines that has happened at the position. */
export const lastIndexBefore = (lines: readonly number[], position: number): number | undefined =>
  lines[countBefore(lines, position) - 1];
