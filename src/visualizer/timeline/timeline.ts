/**
 * Interface to a recording, whole or still growing (`open_timeline.ts`).
 *
 * A position is a number of lines: at position 0 nothing has happened, at `length` all of it. A row is an event
 * line, identified by its position among all lines (`row.position` is the position just after it). Times are
 * milliseconds since the recording's start.
 */
import type { ActorStatus, RecordingHeader, StateValue } from "../recording/format.ts";

export interface Timeline {
  readonly header: RecordingHeader;
  readonly length: number;
  /** Milliseconds from the start to the last line. */
  readonly duration: number;
  /** True while more may come. */
  readonly growing: boolean;
  /** Damage of the recording, in words for users: lines that are cut off or malformed. */
  readonly problems: string[];

  /** The position after everything that happened up to this time. */
  positionAt(ms: number): number;
  timeAt(position: number): number;

  /** Actors that live at the position, and those that ended recently; parents before children. */
  actors(position: number, which?: EndedActors): Promise<ActorRow[]>;
  /**
   * `ms`: time of a moment after the position without events: ages and timers are computed for it.
   * @throws {PthError} `TARGET_NOT_FOUND` for an actor that there is not yet
   */
  actor(actor: string, position: number, ms?: number): Promise<ActorDetail>;

  /**
   * Number of matching rows.
   * @throws {PthError} `INTERRUPTED`, as all methods with a filter, for a search that too many later ones have
   * overtaken
   */
  count(filter: EventFilter): Promise<number>;
  /** Rows that fit, from the `from`th on. */
  rows(filter: EventFilter, from: number, count: number): Promise<EventRow[]>;
  /** Index of the first matching row at or after the position; `count(filter)` if there is none. */
  rowIndex(filter: EventFilter, position: number): Promise<number>;
  /**
   * One row with its event, whole.
   * @throws {PthError} `INVALID_INPUT` where there is no event just before the position
   */
  row(position: number): Promise<EventRow & { event: unknown }>;
  /** Moments at which something failed: errors of work, lost connections, failed tests and the like; oldest first. */
  trouble(): Promise<ErrorMark[]>;
  /** Number of events in each of `buckets` equal time spans, without those that are hidden by default. */
  density(buckets: number): number[];

  /** Calls when there are more lines, at most every `everyMs`; answers how to stop. */
  follow(listener: (growth: Growth) => void, everyMs: number): () => void;
  close(): Promise<void>;
}

/** Ended actors to include; default: none. */
export interface EndedActors {
  /** Milliseconds before the position within which they ended. */
  ended?: number;
  /**
   * Greatest number per parent, the latest ones, in addition to the latest 1,000 failed ones; default: all.
   * Descendants of an actor that is left out are left out, too.
   */
  endedOfEach?: number;
  /** Is never left out as one of too many. */
  selected?: string;
}

export interface EventFilter {
  /** Actors that sent or received the event. */
  actors?: readonly string[];
  /** With each actor, all that it started. */
  descendants?: boolean;
  /** A part of the event's type; several, separated by blanks or commas, each for itself; `-` before one excludes. */
  type?: string;
  /** Text anywhere in the line, upper and lower case alike. */
  text?: string;
  /** Milliseconds. */
  since?: number;
  until?: number;
  /** XState's own events, too (`xstate.…`); default: those of timers, results and errors only, not `xstate.init` and `.stop`. */
  internal?: boolean;
}

export interface EventRow {
  position: number;
  /** The position at which receiver and sender have done what belongs to it: where one looks to see what it led to. */
  settled: number;
  at: number;
  /** Absent for what came from outside. */
  source?: ActorName;
  target: ActorName;
  type: string;
  /** Summary in one line of at most 120 characters: `request 3: exit 1`. */
  gist: string;
  /** Says that something went wrong. */
  trouble: boolean;
  /** The receiver did nothing on it: no transition. */
  ignored: boolean;
}

export interface ActorName {
  actor: string;
  id: string;
}

export interface ActorRow extends ActorName {
  /** Name of its work: the name of the test `test-7`, the tool of the call `call-3`. */
  name?: string;
  parent?: string;
  machine?: string;
  slot?: string;
  value?: StateValue;
  status: ActorStatus;
  startedAt: number;
  endedAt?: number;
  /** Events heard up to the position. */
  heard: number;
  /** `failing`: it, or what it started, has gone wrong; `waiting`: it waits for work that it invoked. */
  health: "well" | "waiting" | "failing" | "ended";
  /** Number of living children. */
  children: number;
}

export interface ActorDetail extends ActorRow {
  /** Undefined if compaction removed it: then `contextAt` is absent, too. */
  context?: unknown;
  /** When that context was written down. */
  contextAt?: number;
  error?: string;
  explanation: Explanation;
}

/** Explanation of an actor's state, and of what it waits for. */
export interface Explanation {
  /** One or two sentences: `In open.idle for 3.2 s. Waits for connection.call, connection.perform or connection.close; …`. */
  summary: string;
  /** The last events it heard, newest first. */
  last: EventRow[];
  /** Guards that said no at the last event, and at earlier ones in this state. */
  refused: RefusedGuard[];
  /** Work and machines that it started and that have not ended; of the first 30, what they were given. */
  pending: { actor: string; id: string; slot?: string; machine?: string; ageMs: number; given?: string }[];
  /** Timers that run in its states: `after`, with the time left where the delay is known. */
  timers: { event: string; state: string; leftMs?: number }[];
  /** Events that its states have transitions for, by state, innermost first. */
  waitsFor: { state: string; events: string[] }[];
  /** Transitions taken last. */
  taken: string[];
}

export interface RefusedGuard {
  position: number;
  event: string;
  /** Id of the transition that was not taken. */
  transition: string;
  guard: string;
}

export interface ErrorMark {
  position: number;
  at: number;
  actor: ActorName;
  /** One line. */
  text: string;
}

/** Changes since the last call. */
export interface Growth {
  length: number;
  duration: number;
  events: number;
  growing: boolean;
  /** New states of actors that moved, and the transitions that they took; the last 5,000 of each actor. */
  moved: { actor: string; value?: StateValue; status: ActorStatus; taken: string[] }[];
}
