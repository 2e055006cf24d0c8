/**
 * Entries made of XState's inspection events. They hold references only; lines are made of them when a file is
 * written.
 */
import type { AnyActorRef, AnyEventObject } from "xstate";
import { type ActorStatus, transitionId } from "./format.ts";

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

/** The part of XState's transition definition that recording needs. */
export interface TakenTransition {
  eventType: string;
  source: {
    id: string;
    always?: readonly unknown[] | undefined;
    transitions: ReadonlyMap<string, readonly unknown[]>;
  };
}

/** A machine's transitions live as long as the machine, and are taken again and again. */
const known = new WeakMap<TakenTransition, string>();

export function idOfTransition(transition: TakenTransition): string {
  let id = known.get(transition);
  if (id === undefined) known.set(transition, id = nameOf(transition));
  return id;
}

function nameOf(transition: TakenTransition): string {
  const { eventType, source } = transition;
  const alike = eventType === "" ? source.always : source.transitions.get(eventType);
  return transitionId(source.id, eventType, Math.max(0, alike?.indexOf(transition) ?? 0));
}
