/** Counts the calls of one tool: what it accepted, refused and did not answer, and how long it took. */
import { count, oneLine } from "../../core/text.ts";
import type { SeenCall } from "./oracle.ts";

/** Calls without an answer, each of which costs a server or a wait: after them a tool is given up. */
const someFailures = 6;
const mostFailures = 40;

export class CallTally {
  calls = 0;
  accepted = 0;
  refused = 0;
  hangs = 0;
  #losses = 0;
  #validAccepted = 0;
  #firstRefusal: string | undefined;
  readonly #durations: number[] = [];

  add({ loss, silence, outcome, valid }: SeenCall): void {
    this.calls++;
    if (loss) this.#losses++;
    if (silence) this.hangs++;
    if (outcome === undefined) return;
    this.#durations.push(outcome.durationMs);
    if (!outcome.isError) {
      this.accepted++;
      if (valid) this.#validAccepted++;
      return;
    }
    this.refused++;
    if (valid) this.#firstRefusal ??= oneLine(outcome.text, 160);
  }

  /** Time in milliseconds that slower answers take: nine of ten take no longer. */
  get usualMs(): number {
    return this.#durations.toSorted((a, b) => a - b)[Math.floor(this.#durations.length * 0.9)] ?? 0;
  }

  /** True after so many calls without an answer that others would tell no more. */
  get hasToldAll(): boolean {
    const failures = this.#losses + this.hangs;
    return failures >= mostFailures || (failures >= someFailures && failures * 2 > this.calls);
  }

  get failuresText(): string {
    return `it lost the server ${count(this.#losses, "time")} and hung ${count(this.hangs, "time")}`;
  }

  /** Note for a tool that was called, and did nothing but refuse; undefined for others. */
  get refusalText(): string | undefined {
    if (this.calls === 0 || this.#validAccepted > 0 || this.#losses + this.hangs > 0) return undefined;
    const words = this.#firstRefusal === undefined ? "" : `: ${this.#firstRefusal}`;
    return `it accepted no valid input, so that little of it ran${words}`;
  }
}
