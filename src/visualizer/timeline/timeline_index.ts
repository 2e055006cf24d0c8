/**
 * What is known of a recording without reading it again: a few numbers for each line, and lists for each actor.
 *
 * A line is named by its number among the recording's lines, from 0, the header not counted: the position just after
 * it is `line + 1`. Nothing here touches the disk but `read`. It grows while the recording does; all that is told of
 * a line stays true. Names (actors, types, states) are kept once.
 */
import type { ActorStatus, RecordingHeader, RecordingLine, StateValue } from "../recording/format.ts";

export interface TimelineIndex {
  readonly header: RecordingHeader;
  /** How many lines there are. */
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

  /** Of an event: who sent it; undefined for what came from outside. */
  source(line: number): IndexedActor | undefined;
  /** Of an event: its type; "" where it was abridged. */
  eventType(line: number): string;

  /** Of a snapshot; undefined for work. */
  value(line: number): StateValue | undefined;
  status(line: number): ActorStatus;
  /** Of a snapshot: transitions just taken, in order. */
  taken(line: number): readonly string[];
  /** Of a snapshot: whether its line holds a context (`written`), held one (`thinned`), or none because nothing changed. */
  context(line: number): "written" | "thinned" | "same";

  /** Each type of event that occurs, once, in the order of its first. */
  readonly eventTypes: readonly string[];
  /** Lines of the events whose type fits, from line `from` up to, not with, line `to`; `fits` is asked once for each type. */
  eventsOfTypes(fits: (type: string) => boolean, from: number, to: number): number[];

  /** Reads and parses lines; many that lie side by side are read at once. */
  read(lines: readonly number[]): Promise<RecordingLine[]>;
}

export interface IndexedActor {
  /** Its place in `actors`. */
  readonly number: number;
  /** Unique in the recording: `x:12`. */
  readonly actor: string;
  readonly id: string;
  readonly parent: IndexedActor | undefined;
  readonly machine: string | undefined;
  readonly slot: string | undefined;
  /** What its work is called: the name of a test, the tool of a call. */
  readonly name: string | undefined;
  /** The last that it told its parent was a verdict, and that a failure. */
  readonly toldFailure: boolean;
  /** Its `actor` line; the line that first named it where the recording has none. */
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

/** How many of these rising lines have happened at the position. */
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
