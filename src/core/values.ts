/** Helpers for plain values that every part of PTH uses. */

/** True for an object that is no list: JSON's maps. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Parses a text as JSON; returns undefined if it is not valid JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (_noJson) {
    return undefined; // the caller decides what invalid JSON means
  }
}

/** Escapes a text for HTML and XML, both between tags and in an attribute in double quotes. */
export const escapeMarkup = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** Keys that may have no value are optional in it. */
type Defined<T> =
  & { [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key] }
  & { [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined> };

/** Without the keys that have no value, as JSON would drop them. */
export const definedOnly = <T extends object>(value: T): Defined<T> =>
  Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as Defined<T>;

/** Values by a key, keys in the order in which they first came (`Map.groupBy`, which Node 20 lacks). */
export function groupBy<Value, Key>(
  values: Iterable<Value>,
  keyOf: (value: Value) => Key,
): Map<Key, Value[]> {
  const groups = new Map<Key, Value[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}

/** Rounds to thousandths: of milliseconds, whole microseconds remain. */
export const roundToThousandth = (value: number): number => Math.round(value * 1000) / 1000;

/** Part of a value at a path of keys and indices; undefined where the path leads nowhere. */
export function valueAt(root: unknown, path: readonly (string | number)[]): unknown {
  let value = root;
  for (const step of path) value = (value as Record<string | number, unknown> | null | undefined)?.[step];
  return value;
}
