/** What a comparison of two schemas can find, and what it means for those on the other side of the schema. */
import type { SurfaceChange } from "../../machines/model/contract.ts";

/** Input is what clients send, output what they read. */
export type SchemaRole = "input" | "output";

/**
 * What happened to the set of values that a schema allows. `changed`: some went, some came. `unknown`: nobody can tell.
 * `text`: nothing, but what a model reads is another.
 */
export type Effect = "narrowed" | "widened" | "changed" | "unknown" | "text";

export interface SchemaChange {
  effect: Effect;
  code: string;
  path: string;
  message: string;
}

/** Who sends values fears a schema that allows less; who reads them, one that allows more. */
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
