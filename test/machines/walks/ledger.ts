/** Who asked, and who was answered: each request that was accepted is answered exactly once. */
export class Ledger {
  readonly #open = new Map<string, string>();
  readonly #closed = new Set<string>();
  readonly #faults: string[] = [];

  get open(): string[] {
    return [...this.#open.keys()];
  }

  /** @param where What the machine was at, for whoever reads a fault */
  asked(id: string, where: string): void {
    this.#open.set(id, where);
  }

  answered(id: string, how: string): void {
    if (this.#open.delete(id)) this.#closed.add(id);
    else if (this.#closed.has(id)) this.#faults.push(`${id} was answered again: ${how}`);
    else this.#faults.push(`${id}, which nobody asked for, was answered: ${how}`);
  }

  /** Answers what begins so and is open; nothing of it need be. */
  answeredAll(prefix: string, how: string): void {
    for (const id of this.open) if (id.startsWith(prefix)) this.answered(id, how);
  }

  /** Notes what must not have happened. */
  wrong(what: string): void {
    this.#faults.push(what);
  }

  /** Whoever asked does not want to know any more, so that an answer may come or not. */
  forgiven(id: string): void {
    this.#open.delete(id);
  }

  faults(): string[] {
    return [
      ...this.#faults,
      ...[...this.#open].map(([id, where]) => `${id} was never answered, asked at ${where}`),
    ];
  }
}
