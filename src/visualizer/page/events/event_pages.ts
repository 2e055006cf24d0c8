/** Rows of events, fetched in pages as they come into sight. */
import { batch, signal } from "@preact/signals";
import type { EventPage } from "../../server/api.ts";
import type { EventRow } from "../../timeline/timeline.ts";

export type AskRows = (from: number, count: number) => Promise<EventPage | undefined>;

const pageSize = 200;
const keptPages = 40;
/** Rows that a large screen shows at once. */
const mostInSight = 100;
const pageOf = (index: number): number => Math.floor(Math.max(0, index) / pageSize);

export class EventPages {
  /** All that fit; undefined until the first answer. */
  readonly total = signal<number | undefined>(undefined);
  /** Counts answers: views that read it are drawn again. */
  readonly version = signal(0);
  readonly #ask: AskRows;
  readonly #pages = new Map<number, EventRow[]>();
  #wanted: number[] = [];
  /** Pages that are in sight. */
  #seen: number[] = [];
  #grown: { atEnd: boolean } | undefined;
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
    const first = pageOf(from);
    const last = pageOf(Math.max(from, to - 1));
    this.#seen = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    this.#wanted = this.#seen.filter((page) => this.#lacks(page));
    if (!this.#busy) void this.#work();
  }

  /**
   * More came: how many there are is asked again, and what is in sight, where that failed before.
   *
   * @param atEnd the list stays at its end: the rows there come before the number does, so that none is missing
   */
  grew(atEnd: boolean): void {
    this.#grown = { atEnd };
    this.#wanted = [...new Set([...this.#wanted, ...this.#seen.filter((page) => this.#lacks(page))])];
    if (!this.#busy) void this.#work();
  }

  /** A page that was the last one may have been filled since. */
  #lacks(page: number, total = this.total.peek() ?? 0): boolean {
    const rows = this.#pages.get(page);
    if (rows === undefined) return true;
    return rows.length < pageSize && page * pageSize + rows.length < total;
  }

  async #work(): Promise<void> {
    this.#busy = true;
    while (this.#grown !== undefined || this.#wanted.length > 0) {
      const grown = this.#grown;
      this.#grown = undefined;
      if (grown !== undefined) await this.#grow(grown.atEnd);
      const page = this.#wanted.shift();
      if (page !== undefined) this.#tell(await this.#fetch(page));
    }
    this.#busy = false;
  }

  async #grow(atEnd: boolean): Promise<void> {
    const total = await this.#fetch(pageOf(this.total.peek() ?? 0));
    if (total === undefined) return;
    for (let page = pageOf(total - mostInSight); atEnd && page <= pageOf(total - 1); page++) {
      if (this.#lacks(page, total)) await this.#fetch(page);
    }
    this.#tell(total);
  }

  /** Answers how many fit by now. */
  async #fetch(page: number): Promise<number | undefined> {
    const answer = await this.#ask(page * pageSize, pageSize);
    if (answer !== undefined) this.#keep(page, answer.rows);
    return answer?.total;
  }

  #tell(total: number | undefined): void {
    if (total === undefined) return;
    batch(() => {
      this.total.value = total;
      this.version.value++;
    });
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
