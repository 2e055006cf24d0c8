/**
 * Announces a process of PTH that can be viewed: a file below `PTH_HOME/live`, and a socket next to it that
 * only the
 * same user can open.
 */
import type { Owner } from "../platform/proc.ts";

export interface Announcement {
  /** Unique; also the name of its files. */
  id: string;
  /** Process of the session, by which a killed one is recognized. */
  owner: Owner;
  /** ISO 8601. */
  startedAt: string;
  /** `run`, `mcp`, …: the command. */
  command: string;
  /** Plugin as its user named it, and the whole path of a folder once a session runs; absent until it is known. */
  target?: string;
  /** Matrix entry: the sessions of a matrix differ by nothing else. */
  entry?: string;
  sessionId?: string;
  /** Path of the socket. */
  socket: string;
}

/** Request of a viewer, one JSON text a line; each is answered by a line with the same `ask`. */
export type ViewerRequest =
  /** Record, until the connection ends. What was recorded before, and what is remembered, comes first. */
  | { ask: "watch" }
  /** An event to an actor; `actor` as in the recording. */
  | { ask: "send"; actor: string; event: SentEvent };

/** Event to send: its fields stand next to its type. */
export interface SentEvent {
  type: string;
  [fact: string]: unknown;
}

export type ViewerMessage =
  /** The recording, which grows while the connection lasts. `kept`: a file of the user's (`--record`), not to be removed. */
  | { ask: "watch"; file: string; kept: boolean }
  /**
   * End of the events: the session was closed, or cannot be recorded any more (`reason`). A connection that
   * ends without it was cut off.
   */
  | { ask: "watch"; ended: true; reason?: string }
  | { ask: "send"; sent: true }
  | { ask: ViewerRequest["ask"] | "?"; error: AnswerError };

/** `ask` is `?` where the line could not be read. */
export interface AnswerError {
  code: string;
  message: string;
  next?: string[];
}
