/** Patterns of schemas that tell which of them was being matched when the work was stopped. */
import type { RegExpEngine } from "ajv/dist/types/index.js";
import { isObject } from "../core/values.ts";

let running: string | undefined;

/** Gives ajv JavaScript's own regular expressions, noted while they match. */
export const trackedPatterns: RegExpEngine = Object.assign(
  (pattern: string, flags: string) => {
    const expression = new RegExp(pattern, flags);
    return {
      test(text: string): boolean {
        running = pattern;
        const matched = expression.test(text);
        running = undefined;
        return matched;
      },
      // What is equal is compiled once.
      toString: () => String(expression),
    };
  },
  { code: "new RegExp" },
);

/** The pattern in whose midst the engine was stopped, once; undefined where it was elsewhere. */
export function stoppedPattern(): string | undefined {
  const pattern = running;
  running = undefined;
  return pattern;
}

/** Finds the place of a pattern in a schema, as in "properties/name/pattern"; the schema is small (`schemaExcess`). */
export function placeOfPattern(schema: unknown, pattern: string, path = ""): string | undefined {
  if (typeof schema !== "object" || schema === null) return undefined;
  for (const [key, child] of Object.entries(schema)) {
    const place = path === "" ? key : `${path}/${key}`;
    if (key === "pattern" && child === pattern) return place;
    if (key === "patternProperties" && isObject(child) && Object.hasOwn(child, pattern)) return place;
    const below = placeOfPattern(child, pattern, place);
    if (below !== undefined) return below;
  }
  return undefined;
}
