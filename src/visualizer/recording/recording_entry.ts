/** What is kept of XState's inspection events until somebody wants it as lines: references, nothing computed. */
import type { AnyActorRef, AnyEventObject } from "xstate";
import type { ActorStatus } from "./format.ts";
import type { TakenTransition } from "./id_of_transition.ts";

export type RecordingEntry = ActorEntry | EventEntry | SnapshotEntry;

/** Milliseconds since the recorder was made; the order in which entries came. */
interface Came {
  at: number;
  order: number;
}

export interface ActorEntry extends Came {
  type: "actor";
  actor: AnyActorRef;
}

export interface EventEntry extends Came {
  type: "event";
  actor: AnyActorRef;
  source: AnyActorRef | undefined;
  event: AnyEventObject;
}

export interface SnapshotEntry extends Came {
  type: "snapshot";
  actor: AnyActorRef;
  snapshot: InspectedSnapshot;
  taken: readonly TakenTransition[];
  /** The context is another than in the actor's snapshot before. */
  changed: boolean;
}

/** Work has no value and no context. */
export interface InspectedSnapshot {
  status: ActorStatus;
  value?: unknown;
  context?: unknown;
  error?: unknown;
}
