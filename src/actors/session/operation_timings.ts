/** Durations of PTH's own operations in a session. */
import type { OperationTiming } from "../../../machines/model/session.ts";

export class OperationTimings {
  readonly #all = new Map<string, OperationTiming>();

  /** @param operation "provision", "build", "reload", "test", "snapshot" … */
  note(operation: string, milliseconds: number): void {
    const { count = 0, totalMs = 0, longestMs = 0 } = this.#all.get(operation) ?? {};
    const lastMs = Math.round(milliseconds * 10) / 10;
    this.#all.set(operation, {
      count: count + 1,
      lastMs,
      totalMs: Math.round((totalMs + lastMs) * 10) / 10,
      longestMs: Math.max(longestMs, lastMs),
    });
  }

  /** By operation, in the order in which they first ran. */
  all(): Record<string, OperationTiming> {
    return Object.fromEntries([...this.#all].map(([name, timing]) => [name, { ...timing }]));
  }
}
