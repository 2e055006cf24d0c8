/**
 * How a process of PTH says that it can be watched: a file below `PTH_HOME/live`, and a socket beside it that only the
 * same user reaches.
 */
import type { Owner } from "../platform/owner.ts";

export interface Announcement {
  /** Unique; also the name of its files. */
  id: string;
  /** Which process, so that one that was killed is known as such. */
  owner: Owner;
  /** ISO 8601. */
  startedAt: string;
  /** `run`, `mcp`, …: the command. */
  command: string;
  /** What is under test, as its user named it, and once a session runs a folder's whole path; absent until that is known. */
  target?: string;
  /** Of a matrix, which environment: its sessions differ by nothing else. */
  entry?: string;
  sessionId?: string;
  /** Path of the socket. */
  socket: string;
}

/** What a viewer asks, one JSON text a line; each is answered by a line with the same `ask`. */
export type ViewerRequest =
  /** Record, until the connection ends. What was recorded before, and what is remembered, comes first. */
  | { ask: "watch" }
  /** An event to an actor; `actor` as in the recording. */
  | { ask: "send"; actor: string; event: SentEvent };

/** Its facts stand beside its type. */
export interface SentEvent {
  type: string;
  [fact: string]: unknown;
}

export type ViewerMessage =
  /** The recording, which grows while the connection lasts. `kept`: a file of the user's (`--record`), not to be removed. */
  | { ask: "watch"; file: string; kept: boolean }
  /** Nothing more comes: the session was closed, or cannot be recorded any more (`reason`). A connection that ends without it was cut off. */
  | { ask: "watch"; ended: true; reason?: string }
  | { ask: "send"; sent: true }
  | { ask: ViewerRequest["ask"] | "?"; error: AnswerError };

/** `ask` is `?` where the line could not be read. */
export interface AnswerError {
  code: string;
  message: string;
  next?: string[];
}
