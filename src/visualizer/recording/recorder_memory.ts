/**
 * The last entries, and of each actor that lives what was before them. It only refers to what is there anyway; what events
 * carry is estimated, so that a few large ones do not stay in memory for long.
 */
import type { ActorEntry, EventEntry, RecordingEntry, SnapshotEntry } from "./recording_entry.ts";

export interface RecorderMemory {
  add(entry: RecordingEntry): void;
  /** Last known entries of living actors from before the remembered ones. */
  before(): (ActorEntry | EventEntry | SnapshotEntry)[];
  last(): RecordingEntry[];
  /** Entries were forgotten. */
  readonly partial: boolean;
}

/** Last entries of one actor from before the remembered ones. */
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
    const size = weights[first]!;
    ring[first] = undefined;
    weight -= size;
    first = (first + 1) % longest;
    length--;
    partial = true;
    fold(known, oldest, size);
  };
  return {
    add(entry) {
      if (longest === 0) {
        partial = true;
        return fold(known, entry, sizeOf(entry));
      }
      if (length === longest) forgetOldest();
      const at = (first + length) % longest;
      ring[at] = entry;
      weight += weights[at] = sizeOf(entry);
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

/** Updates what is known of an actor. Ended actors and large events are dropped. */
function fold(known: Map<string, Known>, entry: RecordingEntry, size: number): void {
  const id = entry.actor.sessionId;
  if (entry.type === "actor") {
    known.set(id, { actor: entry });
    return;
  }
  const of = known.get(id);
  if (of === undefined) return;
  if (entry.type === "event") {
    if (size <= heaviestKept) of.heard = entry;
    else delete of.heard;
  } else if (entry.snapshot.status === "active") of.snapshot = entry;
  else known.delete(id);
}

const heaviestKept = 64 * 1024;

/** Members that are visited in all, outer ones first. */
const most = 100;

/** Entries of a list that are visited; the others are assumed to be similar, as are members beyond the limit. */
const mostEntries = 10;

const sizeOf = (entry: RecordingEntry): number => entry.type === "event" ? estimateSize(entry.event) : 0;

/** Characters of the texts in a value, about: a whole number, at most 2^31. */
function estimateSize(value: unknown): number {
  const found: Found[] = [{ value, times: 1 }];
  let weight = 0;
  try {
    // It grows meanwhile.
    for (let at = 0; at < found.length; at++) weight += found[at]!.times * weighOne(found[at]!, found);
  } catch {
    // A getter or proxy threw: the size of its value is unknown.
  }
  return Math.min(Math.round(weight), 2 ** 31);
}

interface Found {
  value: unknown;
  /** Number of similar values that it stands for. */
  times: number;
}

/** Size of the value itself; its members are appended to `found`. */
function weighOne({ value, times }: Found, found: Found[]): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  const room = most - found.length;
  if (Array.isArray(value)) {
    const some = value.slice(0, Math.min(mostEntries, room));
    for (const entry of some) found.push({ value: entry, times: times * value.length / some.length });
    return value.length * 8;
  }
  // Living things hold on to themselves; only plain data is carried.
  if (!isPlain(value)) return 0;
  const keys = Object.keys(value);
  // The rest is for what these hold.
  const some = keys.slice(0, Math.ceil(room / 2));
  for (const key of some) found.push({ value: value[key], times: times * keys.length / some.length });
  return 0;
}

const isPlain = (value: object): value is Record<string, unknown> =>
  Object.getPrototypeOf(value) === Object.prototype;
