/** Pairs the events and the snapshots of actors. */
import { countBefore, type IndexedActor, type TimelineIndex } from "./timeline_index.ts";

export interface Answers {
  /** The snapshot that the actor had when it was done with this event; undefined while it is not, and for work. */
  snapshotAfter(event: number): number | undefined;
  /** The event that led to this snapshot; undefined where none did: the recording began within. */
  eventBefore(snapshot: number): number | undefined;
}

/** Lines of an actor that have been paired so far. */
interface Walked {
  heard: number;
  waiting: number[];
  /** For each event that it heard, its snapshot. */
  answers: (number | undefined)[];
  /** For each of its snapshots, the event. */
  events: (number | undefined)[];
}

/**
 * An actor takes its events one after the other, and has one snapshot for each: the first snapshot answers the first
 * event that is not answered. Replies to what it sends meanwhile may be recorded before that snapshot.
 */
export function pairAnswers(index: TimelineIndex): Answers {
  const walks = new Map<IndexedActor, Walked>();
  const walk = (actor: IndexedActor, isFound: (walked: Walked) => boolean): Walked => {
    let walked = walks.get(actor);
    if (walked === undefined) walks.set(actor, walked = { heard: 0, waiting: [], answers: [], events: [] });
    // Work has one snapshot, at its end, and no event that it came of.
    if (actor.machine !== undefined || actor.slot === undefined) walkOn(index, actor, walked, isFound);
    return walked;
  };
  return {
    snapshotAfter(event) {
      const actor = index.actorOf(event);
      const place = countBefore(actor.heard, event);
      return walk(actor, ({ answers }) => answers[place] !== undefined).answers[place];
    },
    eventBefore(snapshot) {
      const actor = index.actorOf(snapshot);
      const place = countBefore(actor.snapshots, snapshot);
      return walk(actor, ({ events }) => events.length > place).events[place];
    },
  };
}

/** No farther than to what is asked for: an actor may have hundreds of thousands of lines. */
function walkOn(
  index: TimelineIndex,
  { heard, snapshots }: IndexedActor,
  walked: Walked,
  isFound: (walked: Walked) => boolean,
): void {
  const { waiting, answers, events } = walked;
  while (events.length < snapshots.length && !isFound(walked)) {
    const snapshot = snapshots[events.length]!;
    while (walked.heard < heard.length && heard[walked.heard]! < snapshot) waiting.push(walked.heard++);
    // Being stopped is no answer to what was still waiting.
    if (index.status(snapshot) === "stopped") waiting.length = 0;
    const place = waiting.shift();
    events.push(place === undefined ? undefined : heard[place]);
    if (place !== undefined) answers[place] = snapshot;
  }
}
