/** Which snapshot came of which event, and the other way round. */
import type { IndexedActor, TimelineIndex } from "./timeline_index.ts";

export interface Answers {
  /** The snapshot that the actor had when it was done with this event; undefined while it is not, and for work. */
  snapshotAfter(event: number): number | undefined;
  /** The event that led to this snapshot; undefined where none did: the recording began within. */
  eventBefore(snapshot: number): number | undefined;
}

interface Walked {
  /** How many events and snapshots have been looked at. */
  heard: number;
  snapshots: number;
  waiting: number[];
  answers: Map<number, number>;
  events: Map<number, number>;
}

/**
 * An actor takes its events one after the other, and has one snapshot for each: the first snapshot answers the first
 * event that is not answered. What it sends meanwhile may come back before that snapshot is told.
 */
export function pairAnswers(index: TimelineIndex): Answers {
  const walks = new Map<IndexedActor, Walked>();
  const walkOf = (line: number): Walked | undefined => {
    const actor = index.actorOf(line);
    // Work has one snapshot, at its end, and no event that it came of.
    if (actor.machine === undefined && actor.slot !== undefined) return undefined;
    let walked = walks.get(actor);
    if (walked === undefined) {
      walked = { heard: 0, snapshots: 0, waiting: [], answers: new Map(), events: new Map() };
      walks.set(actor, walked);
    }
    walkOn(index, actor, walked);
    return walked;
  };
  return {
    snapshotAfter: (event) => walkOf(event)?.answers.get(event),
    eventBefore: (snapshot) => walkOf(snapshot)?.events.get(snapshot),
  };
}

function walkOn(index: TimelineIndex, actor: IndexedActor, walked: Walked): void {
  const { heard, snapshots } = actor;
  while (walked.snapshots < snapshots.length) {
    const snapshot = snapshots[walked.snapshots++]!;
    while (walked.heard < heard.length && heard[walked.heard]! < snapshot) {
      walked.waiting.push(heard[walked.heard++]!);
    }
    // Being stopped is no answer to what was still waiting.
    if (index.status(snapshot) === "stopped") walked.waiting.length = 0;
    const event = walked.waiting.shift();
    if (event === undefined) continue;
    walked.answers.set(event, snapshot);
    walked.events.set(snapshot, event);
  }
}
