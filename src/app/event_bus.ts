/** Delivers published events to those who subscribed. */
import type { PublishedEvent } from "../api/harness.ts";

export interface EventBus {
  publish(fact: PublishedEvent): void;
  /** The answer unsubscribes. */
  on(listener: (fact: PublishedEvent) => void): () => void;
}

export function createEventBus(): EventBus {
  const listeners = new Set<(fact: PublishedEvent) => void>();
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
