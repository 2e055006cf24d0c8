/** Who listens to facts, and how they hear. */
import type { Fact } from "../api/harness.ts";

export interface FactBus {
  publish(fact: Fact): void;
  /** The answer unsubscribes. */
  on(listener: (fact: Fact) => void): () => void;
}

export function createFactBus(): FactBus {
  const listeners = new Set<(fact: Fact) => void>();
  return {
    publish(fact) {
      for (const listener of listeners) listener(fact);
    },
    on(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
