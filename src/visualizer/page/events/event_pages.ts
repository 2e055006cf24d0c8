/** Rows of events, fetched in pages as they come into sight. */
import { signal } from "@preact/signals";
import type { EventPage } from "../../server/api.ts";
import type { EventRow } from "../../timeline/timeline.ts";

export type AskRows = (from: number, count: number) => Promise<EventPage | undefined>;

const pageSize = 200;
const keptPages = 40;

export class EventPages {
  /** All that fit; undefined until the first answer. */
  readonly total = signal<number | undefined>(undefined);
  /** Counts answers: who reads it is drawn anew. */
  readonly version = signal(0);
  readonly #ask: AskRows;
  readonly #pages = new Map<number, EventRow[]>();
  #wanted: number[] = [];
  /** Pages that are in sight. */
  #seen: number[] = [];
  #busy = false;

  constructor(ask: AskRows) {
    this.#ask = ask;
  }

  /** Undefined until its page is here. */
  row(index: number): EventRow | undefined {
    return this.#pages.get(Math.floor(index / pageSize))?.[index % pageSize];
  }

  /** Fetches what is missing of these rows; what was wanted before and is not here yet is no longer. */
  want(from: number, to: number): void {
    const first = Math.floor(Math.max(0, from) / pageSize);
    const last = Math.floor(Math.max(from, to - 1) / pageSize);
    this.#seen = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    this.#wanted = this.#seen.filter((page) => this.#lacks(page));
    if (!this.#busy) void this.#work();
  }

  /** More came: the last page, and how many there are, are asked for again; and what is in sight, where that failed before. */
  grew(): void {
    const last = Math.floor((this.total.peek() ?? 0) / pageSize);
    const lacking = this.#seen.filter((page) => this.#lacks(page));
    this.#wanted = [...new Set([...this.#wanted, ...lacking, last])];
    if (!this.#busy) void this.#work();
  }

  /** A page that was the last one may have been filled since. */
  #lacks(page: number): boolean {
    const rows = this.#pages.get(page);
    if (rows === undefined) return true;
    return rows.length < pageSize && page * pageSize + rows.length < (this.total.peek() ?? 0);
  }

  async #work(): Promise<void> {
    this.#busy = true;
    for (let page = this.#wanted.shift(); page !== undefined; page = this.#wanted.shift()) {
      const answer = await this.#ask(page * pageSize, pageSize);
      if (answer === undefined) continue;
      this.#keep(page, answer.rows);
      this.total.value = answer.total;
      this.version.value++;
    }
    this.#busy = false;
  }

  /** The pages that were fetched longest ago go. */
  #keep(page: number, rows: EventRow[]): void {
    this.#pages.delete(page);
    this.#pages.set(page, rows);
    for (const old of this.#pages.keys()) {
      if (this.#pages.size <= keptPages) break;
      this.#pages.delete(old);
    }
  }
}
