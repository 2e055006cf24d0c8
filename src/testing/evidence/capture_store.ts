/**
 * Stores the messages of each test of the latest run, passed tests included.
 *
 * The store is bounded, so that a thousand tests fit into a session's memory: captures are kept as text, long messages
 * are cut, and beyond the budget the oldest are dropped first.
 */
import type { TestEvidence } from "./failure_evidence.ts";

/** Characters. */
const mostTogether = 16 * 1024 * 1024;
const longestMessage = 64 * 1024;
const longestStderr = 16 * 1024;

export class CaptureStore {
  /** In the order in which they were kept. */
  readonly #texts = new Map<string, string>();
  readonly #pruned = new Set<string>();
  readonly #most: number;
  #size = 0;

  constructor(most = mostTogether) {
    this.#most = most;
  }

  /** Replaces what is known of the test. */
  keep(testId: string, evidence: TestEvidence): void {
    this.forget([testId]);
    const text = JSON.stringify(cut(evidence));
    this.#texts.set(testId, text);
    this.#size += text.length;
    for (const [id, oldest] of this.#texts) {
      if (this.#size <= this.#most) break;
      this.#texts.delete(id);
      this.#size -= oldest.length;
      this.#pruned.add(id);
    }
  }

  of(testId: string): TestEvidence | undefined {
    const text = this.#texts.get(testId);
    return text === undefined ? undefined : JSON.parse(text) as TestEvidence;
  }

  /** Whether there was a capture that had to make room. */
  wasPruned(testId: string): boolean {
    return this.#pruned.has(testId);
  }

  /** Characters of all captures together. */
  get size(): number {
    return this.#size;
  }

  forget(testIds: Iterable<string>): void {
    for (const id of testIds) {
      this.#size -= this.#texts.get(id)?.length ?? 0;
      this.#texts.delete(id);
      this.#pruned.delete(id);
    }
  }
}

const cut = ({ exchange, stderr, ...rest }: TestEvidence): TestEvidence => ({
  ...rest,
  stderr: stderr.slice(-longestStderr),
  exchange: exchange.map((each) => {
    const text = JSON.stringify(each.message) ?? "";
    if (text.length <= longestMessage) return each;
    const beginning = text.slice(0, longestMessage);
    return { ...each, message: { ofCharacters: text.length, beginning } };
  }),
});
