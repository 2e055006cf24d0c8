/** Keeps each name once and gives it a number, straight from the bytes of a file: no text is made for a name seen before. */
import { Buffer } from "node:buffer";

export class StringInterner {
  /** Number of names; their numbers are 0 to `size - 1`. */
  size = 0;
  #table = new Int32Array(256).fill(-1);
  #hashes = new Int32Array(128);
  /** Start of each name among the bytes, which is the end of the name before. */
  #starts = new Uint32Array(129);
  #bytes = new Uint8Array(4096);
  readonly #texts: string[] = [];

  /** The number of the name that is these bytes. */
  of(bytes: Uint8Array, start: number, end: number): number {
    const hash = hashOf(bytes, start, end);
    const mask = this.#table.length - 1;
    for (let slot = hash & mask;; slot = (slot + 1) & mask) {
      const name = this.#table[slot]!;
      if (name === -1) return this.#add(slot, hash, bytes, start, end);
      if (this.#hashes[name] === hash && this.#is(name, bytes, start, end)) return name;
    }
  }

  /** The name as text. */
  text(name: number): string {
    return this.#texts[name]!;
  }

  /** The number of this name, or undefined where it did not occur. */
  find(text: string): number | undefined {
    const bytes = Buffer.from(text);
    const hash = hashOf(bytes, 0, bytes.length);
    const mask = this.#table.length - 1;
    for (let slot = hash & mask;; slot = (slot + 1) & mask) {
      const name = this.#table[slot]!;
      if (name === -1) return undefined;
      if (this.#hashes[name] === hash && this.#is(name, bytes, 0, bytes.length)) return name;
    }
  }

  #is(name: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = this.#starts[name]!;
    if (this.#starts[name + 1]! - from !== end - start) return false;
    for (let at = start; at < end; at++) if (bytes[at] !== this.#bytes[from + at - start]) return false;
    return true;
  }

  #add(slot: number, hash: number, bytes: Uint8Array, start: number, end: number): number {
    const name = this.size++;
    const from = this.#starts[name]!;
    const to = from + end - start;
    while (to > this.#bytes.length) this.#bytes = grown(this.#bytes, new Uint8Array(this.#bytes.length * 2));
    this.#bytes.set(bytes.subarray(start, end), from);
    if (this.size >= this.#hashes.length) {
      this.#hashes = grown(this.#hashes, new Int32Array(this.#hashes.length * 2));
      this.#starts = grown(this.#starts, new Uint32Array(this.#hashes.length + 1));
    }
    this.#starts[name + 1] = to;
    this.#hashes[name] = hash;
    this.#texts.push(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString("utf8"));
    this.#table[slot] = name;
    if (this.size * 2 > this.#table.length) this.#spread();
    return name;
  }

  #spread(): void {
    const table = new Int32Array(this.#table.length * 2).fill(-1);
    const mask = table.length - 1;
    for (let name = 0; name < this.size; name++) {
      let slot = this.#hashes[name]! & mask;
      while (table[slot] !== -1) slot = (slot + 1) & mask;
      table[slot] = name;
    }
    this.#table = table;
  }
}

/** FNV-1a. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5 | 0;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  return hash ^ (hash >>> 15);
}

type Column = Float64Array | Uint8Array | Uint32Array | Int32Array;

/** Copies a column into a larger one, which it returns. */
export function grown<List extends Column>(old: List, larger: List): List {
  larger.set(old);
  return larger;
}
