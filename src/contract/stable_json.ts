/** JSON whose text does not depend on the order in which a server happened to write its keys. */
import { isObject } from "../core/values.ts";

const sorted = (_key: string, value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
    : value;

/** Equal values have equal texts. */
export const stableJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, sorted, indent) ?? "null";

export const sameJson = (a: unknown, b: unknown): boolean => stableJson(a) === stableJson(b);
