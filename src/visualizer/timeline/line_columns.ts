/**
 * Columns of numbers that hold the facts of each line: 33 bytes per line, and nothing for the garbage collector to
 * visit.
 */
import { grown } from "./string_interner.ts";

/**
 * Kind of a line, in the lowest two bits of `kinds`. The next two bits hold the status of a snapshot, those above
 * the state of its context.
 */
export const lineKinds = { actor: 0, event: 1, snapshot: 2 } as const;

/** Position of a line in the file, and its time as it stands there. */
export interface LinePlace {
  /** Offset of its first byte. */
  offset: number;
  /** Number of bytes, without the line end. */
  size: number;
  /** Milliseconds since the recording's start. */
  at: number;
}

export class LineColumns {
  length = 0;
  /** The part of the file that these lines are, as far as that is known: room is made for the rest at once. */
  part = 1;
  /** Offset of the line in the file, and its length, in bytes. */
  offsets = new Float64Array(first);
  sizes = new Uint32Array(first);
  /** Milliseconds. */
  times = new Float64Array(first);
  kinds = new Uint8Array(first);
  /** Number of the actor that the line is about. */
  actors = new Uint32Array(first);
  /** Number of an event's sender, -1 for outside; number of a snapshot's state, -1 for none. */
  firsts = new Int32Array(first);
  /** Number of an event's type; number of a snapshot's list of transitions, -1 for none. */
  seconds = new Int32Array(first);
  #latest = 0;

  /** Adds a line and answers its number. Times never go back, so that they can be searched. */
  add({ offset, size, at }: LinePlace, kind: number, actor: number, one: number, two: number): number {
    if (this.length === this.kinds.length) this.#grow();
    const line = this.length++;
    this.offsets[line] = offset;
    this.sizes[line] = size;
    if (at > this.#latest) this.#latest = at;
    this.times[line] = this.#latest;
    this.kinds[line] = kind;
    this.actors[line] = actor;
    this.firsts[line] = one;
    this.seconds[line] = two;
    return line;
  }

  /** True if this begins with all lines of the other, with equal facts; contexts may have been removed. */
  isLike(other: LineColumns): boolean {
    for (let line = 0; line < other.length; line++) {
      const isSame = line < this.length && this.times[line] === other.times[line] &&
        (this.kinds[line]! & 15) === (other.kinds[line]! & 15) && this.actors[line] === other.actors[line] &&
        this.firsts[line] === other.firsts[line] && this.seconds[line] === other.seconds[line];
      if (!isSame) return false;
    }
    return true;
  }

  /** The same lines are elsewhere now, and have fewer contexts. */
  moveTo({ length, offsets, sizes, kinds }: LineColumns): void {
    this.offsets.set(offsets.subarray(0, length));
    this.sizes.set(sizes.subarray(0, length));
    this.kinds.set(kinds.subarray(0, length));
  }

  #grow(): void {
    const room = Math.ceil(this.length * Math.max(1.3, 1.05 / this.part));
    this.offsets = grown(this.offsets, new Float64Array(room));
    this.sizes = grown(this.sizes, new Uint32Array(room));
    this.times = grown(this.times, new Float64Array(room));
    this.kinds = grown(this.kinds, new Uint8Array(room));
    this.actors = grown(this.actors, new Uint32Array(room));
    this.firsts = grown(this.firsts, new Int32Array(room));
    this.seconds = grown(this.seconds, new Int32Array(room));
  }
}

const first = 16 * 1024;
