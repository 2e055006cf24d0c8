/**
 * The lines of a recording, format `pth-recording/2` (docs/recording.md).
 *
 * A recording is JSON lines: a header, then what happened, in order. Each line begins with `at`, `type` and `actor`, in
 * this order and without blanks: readers find their way by these first bytes and parse the rest only where it is needed.
 */

export const recordingFormat = "pth-recording/2";

/** The first line. */
export interface RecordingHeader {
  format: string;
  /** ISO 8601; `at` counts from here. */
  startedAt: string;
  /** PTH's version. */
  pth: string;
  /** `run`, `mcp`, …: the command that was recorded. */
  command?: string;
  /** Plugin under test, as named by the user. */
  target?: string;
  /**
   * Milliseconds since `startedAt` from which on everything was recorded; absent where that is so from the beginning. Before,
   * there is of each actor that lived then: that it is, the last event that it had heard, and where it was.
   */
  completeFrom?: number;
}

/** A new actor: a machine, or work that fills a machine's slot. */
export interface ActorLine {
  /** Milliseconds since `startedAt`, up to three decimals. */
  at: number;
  type: "actor";
  /** Unique in the recording. */
  actor: string;
  /** Name among the children of its parent. */
  id: string;
  /** The actor that started it; absent for the harness. */
  parent?: string;
  /** Id of the machine whose chart it follows; absent for work. */
  machine?: string;
  /** The slot that it fills; for work only. */
  slot?: string;
}

/** An actor is sent something. */
export interface EventLine {
  at: number;
  type: "event";
  actor: string;
  /** Actor that sent it; absent for events from outside: a command, a tool call, a timer of the host. */
  source?: string;
  /** `type` comes first. Facts may be `Truncated`; of an event that is very large there is only `type` and `abridged`. */
  event: { type: string; [fact: string]: unknown };
}

/** State of an actor after an event. Work has one at its end, without value and context. */
export interface SnapshotLine {
  at: number;
  type: "snapshot";
  actor: string;
  /** The state: a name, or an object where it has parts. */
  value?: StateValue;
  status: ActorStatus;
  /** Transitions just taken, in order: `transitionId` of each. Absent where none was. */
  taken?: string[];
  /** Error of an actor that failed. */
  error?: string;
  /**
   * Context of the machine; absent if it is the same as in the snapshot before. Last in its line, so that readers
   * can stop before it.
   */
  context?: unknown | Truncated;
  /** True where the context was dropped to keep the recording small. */
  thinned?: true;
}

export type RecordingLine = ActorLine | EventLine | SnapshotLine;
export const actorStatuses = ["active", "done", "error", "stopped"] as const;
export type ActorStatus = typeof actorStatuses[number];
export type StateValue = string | { [region: string]: StateValue };

/** In place of a large member of an event or context that is too large, or of all of it: the beginning of its JSON. */
export interface Truncated {
  abridged: string;
}

/**
 * Names a transition of a machine, the same in a recording and in a chart: the state it leaves, the event
 * (`""` for `always`), and its place among that state's transitions on that event.
 */
export const transitionId = (state: string, event: string, index: number): string =>
  `${state}|${event}|${index}`;
