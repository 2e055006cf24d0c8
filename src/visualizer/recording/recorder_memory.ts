/**
 * The last entries, and of each actor that lives what was before them. It only refers to what is there anyway; what events
 * carry is estimated, so that a few large ones do not stay in memory for long.
 */
import type { ActorEntry, EventEntry, RecordingEntry, SnapshotEntry } from "./recording_entry.ts";
import { estimateSize } from "./estimate_size.ts";

export interface RecorderMemory {
  add(entry: RecordingEntry): void;
  /** What is known of the living from before the last entries. */
  before(): (ActorEntry | EventEntry | SnapshotEntry)[];
  last(): RecordingEntry[];
  /** Entries were forgotten. */
  readonly partial: boolean;
}

/** Of an actor, from before the last entries. */
interface Known {
  actor: ActorEntry;
  heard?: EventEntry;
  snapshot?: SnapshotEntry;
}

/**
 * @param longest Number of entries that are remembered.
 * @param heaviest So many characters may their events carry together, about.
 */
export function createMemory(longest: number, heaviest: number): RecorderMemory {
  const ring = new Array<RecordingEntry | undefined>(longest);
  const weights = new Uint32Array(longest);
  const known = new Map<string, Known>();
  let first = 0;
  let length = 0;
  let weight = 0;
  let partial = false;

  const forgetOldest = () => {
    const oldest = ring[first]!;
    ring[first] = undefined;
    weight -= weights[first]!;
    first = (first + 1) % longest;
    length--;
    partial = true;
    fold(known, oldest);
  };
  return {
    add(entry) {
      if (longest === 0) {
        partial = true;
        return fold(known, entry);
      }
      if (length === longest) forgetOldest();
      const at = (first + length) % longest;
      ring[at] = entry;
      weight += weights[at] = entry.type === "event" ? estimateSize(entry.event) : 0;
      length++;
      while (weight > heaviest && length > 1) forgetOldest();
    },
    before: () =>
      [...known.values()]
        .flatMap(({ actor, heard, snapshot }) => [actor, heard, snapshot])
        .filter((entry) => entry !== undefined)
        .sort((a, b) => a.order - b.order),
    last: () => Array.from({ length }, (_, at) => ring[(first + at) % longest]!),
    get partial() {
      return partial;
    },
  };
}

/** Of who has ended nothing is kept, nor what is large. */
function fold(known: Map<string, Known>, entry: RecordingEntry): void {
  const id = entry.actor.sessionId;
  if (entry.type === "actor") {
    known.set(id, { actor: entry });
    return;
  }
  const of = known.get(id);
  if (of === undefined) return;
  if (entry.type === "event") {
    if (estimateSize(entry.event) <= heaviestKept) of.heard = entry;
    else delete of.heard;
  } else if (entry.snapshot.status === "active") of.snapshot = entry;
  else known.delete(id);
}

const heaviestKept = 64 * 1024;
