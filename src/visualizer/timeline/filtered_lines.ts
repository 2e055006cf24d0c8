/** Lines of the events that fit a filter, found once and added to as the recording grows. */
import { setImmediate as otherWork } from "node:timers/promises";
import { PthError } from "../../core/errors.ts";
import { createLineFilter } from "./line_filter.ts";
import type { GrowingRecording } from "./growing_recording.ts";
import { readBytes } from "./read_lines.ts";
import type { RecordingIndex } from "./recording_index.ts";
import type { EventFilter } from "./timeline.ts";
import { Buffer } from "node:buffer";

/** Filters whose lines are kept; the one that was asked for longest ago goes. */
const mostKept = 8;
/** Lines that are filtered, and bytes that are searched, before other work has its turn. */
const linesAtOnce = 100_000;
const bytesAtOnce = 1024 * 1024;

interface Found {
  readonly fits: (line: number) => boolean;
  readonly search: TextSearch | undefined;
  readonly lines: number[];
  /** Lines of the recording that have been filtered. */
  seen: number;
  looking: Promise<void> | undefined;
  dropped: boolean;
}

export class FilteredLines {
  readonly #recording: GrowingRecording;
  readonly #kept = new Map<string, Found>();
  /** The search that was asked for last goes first. */
  #newest: Found | undefined;

  constructor(recording: GrowingRecording) {
    this.#recording = recording;
  }

  get #index(): RecordingIndex {
    return this.#recording.index;
  }

  /**
   * Rising; all that fit among the lines that there are now, maybe more.
   * @throws {PthError} `INTERRUPTED` for a search that so many later ones have overtaken that its result is not needed
   */
  async of(filter: EventFilter): Promise<readonly number[]> {
    const found = this.#find(filter);
    const all = this.#index.length;
    if (found.search) this.#newest = found;
    while (found.seen < all) {
      found.looking ??= this.#look(found).finally(() => found.looking = undefined);
      await found.looking;
    }
    return found.lines;
  }

  #find(filter: EventFilter): Found {
    const { actors, descendants, type, text, since, until, internal } = filter;
    const key = JSON.stringify([actors, descendants, type, text, since, until, internal]);
    const kept = this.#kept.get(key);
    this.#kept.delete(key);
    const found = kept ?? {
      fits: createLineFilter(this.#index, filter),
      search: text === undefined || text === "" ? undefined : createTextSearch(text),
      lines: [],
      seen: 0,
      looking: undefined,
      dropped: false,
    };
    this.#kept.set(key, found);
    const [oldest, dropped] = this.#kept.entries().next().value!;
    if (this.#kept.size > mostKept) {
      this.#kept.delete(oldest);
      dropped.dropped = true;
    }
    return found;
  }

  async #look(found: Found): Promise<void> {
    const all = this.#index.length;
    while (found.seen < all) {
      if (found.search) this.#search(found, found.search, all);
      else this.#filter(found, all);
      if (found.seen < all) await this.#turn(found);
    }
  }

  /** Lets others work, and a later search go first. */
  async #turn(found: Found): Promise<void> {
    // Not by awaiting the newest: it may be asked for once more, and wait for this one in its turn.
    do await otherWork(); while (found.search && !found.dropped && this.#isOvertaken(found));
    if (!found.dropped) return;
    throw new PthError("INTERRUPTED", "Cannot finish the search: later searches overtook it");
  }

  #isOvertaken = (found: Found): boolean => this.#newest !== found && this.#newest?.looking !== undefined;

  #filter(found: Found, all: number): void {
    const end = Math.min(all, found.seen + linesAtOnce);
    for (let line = found.seen; line < end; line++) if (found.fits(line)) found.lines.push(line);
    found.seen = end;
  }

  #search(found: Found, search: TextSearch, all: number): void {
    const { offsets, sizes } = this.#index.columns;
    const candidates: number[] = [];
    const end = Math.min(all, found.seen + linesAtOnce);
    let line = found.seen;
    for (; line < end; line++) {
      const first = candidates[0];
      if (first !== undefined && offsets[line]! + sizes[line]! - offsets[first]! > bytesAtOnce) break;
      if (found.fits(line)) candidates.push(line);
    }
    const from = offsets[candidates[0]!]!;
    const starts = candidates.map((each) => offsets[each]! - from);
    const ends = candidates.map((each, place) => starts[place]! + sizes[each]!);
    if (candidates.length > 0) {
      const bytes = readBytes(this.#recording.file, from, ends.at(-1)!);
      for (const place of search(bytes, { starts, ends })) found.lines.push(candidates[place]!);
    }
    found.seen = line;
  }
}

/** Start and end of each line among some bytes, both rising; bytes between two lines are skipped. */
interface LinePlaces {
  starts: readonly number[];
  ends: readonly number[];
}

/** Answers which of these lines hold the text, as their places in the list. */
type TextSearch = (bytes: Uint8Array, places: LinePlaces) => number[];

/** The text may be meant as it was said, or as it stands in the file, where quotes and line feeds have a backslash. */
function createTextSearch(text: string): TextSearch {
  // deno-lint-ignore no-control-regex -- all of ASCII takes the short way
  const isAscii = /^[\u0000-\u007f]*$/.test(text);
  const lower = text.toLowerCase();
  const needles = [...new Set([lower, JSON.stringify(lower).slice(1, -1)])];
  return (bytes, places) => {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    if (!isAscii) return linesOneByOne(buffer, places, needles);
    // One character a byte, so that places in the text are places in the file.
    const haystack = buffer.toString("latin1").toLowerCase();
    const found = new Set<number>();
    for (const needle of needles) collect(haystack, places, needle, found);
    return [...found].sort((a, b) => a - b);
  };
}

/** Steps from hit to hit, and after one within a line to the next line. */
function collect(haystack: string, { starts, ends }: LinePlaces, needle: string, found: Set<number>): void {
  let line = 0;
  let from = 0;
  while (line < starts.length) {
    const hit = haystack.indexOf(needle, Math.max(from, starts[line]!));
    if (hit === -1) return;
    while (line < ends.length && ends[line]! < hit + needle.length) line++;
    if (line < starts.length && starts[line]! <= hit) found.add(line++);
    // Between two lines, or across their border: on with the next place.
    from = hit + 1;
  }
}

function linesOneByOne(buffer: Buffer, { starts, ends }: LinePlaces, needles: readonly string[]): number[] {
  const found: number[] = [];
  for (let line = 0; line < starts.length; line++) {
    const text = buffer.toString("utf8", starts[line], ends[line]).toLowerCase();
    if (needles.some((needle) => text.includes(needle))) found.push(line);
  }
  return found;
}
