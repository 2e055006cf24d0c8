/** Changes between two schemas, and their impact on the side that reads or writes the values. */
import type { SurfaceChange } from "../../machines/model/contract.ts";

/** Input is what clients send, output what they read. */
export type SchemaRole = "input" | "output";

/**
 * Effect on the set of values that a schema allows. `changed`: some were added and some removed. `unknown`: not
 * decidable.
 * `text`: none, but a model reads another text.
 */
export type Effect = "narrowed" | "widened" | "changed" | "unknown" | "text";

export interface SchemaChange {
  effect: Effect;
  code: string;
  path: string;
  message: string;
}

/** Senders break when a schema allows less, readers when it allows more. */
const impacts: Record<SchemaRole, Record<Effect, SurfaceChange["impact"]>> = {
  input: {
    narrowed: "breaking",
    widened: "compatible",
    changed: "breaking",
    unknown: "notice",
    text: "notice",
  },
  output: {
    narrowed: "compatible",
    widened: "breaking",
    changed: "breaking",
    unknown: "notice",
    text: "notice",
  },
};

export const withImpact =
  (direction: SchemaRole) => ({ effect, ...change }: SchemaChange): SurfaceChange => ({
    impact: impacts[direction][effect],
    ...change,
  });
