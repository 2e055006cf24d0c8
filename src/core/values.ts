/** Small questions about plain values that every part of PTH asks. */

/** True for an object that is no list: JSON's maps. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `1 test`, `2 tests`. */
export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;

/** What a text says as JSON; undefined where it is none. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (_noJson) {
    return undefined; // whoever asks says what that means
  }
}

/** As it stands in HTML and XML: between tags, or in an attribute in double quotes. */
export const escapeMarkup = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** Keys that may have no value are optional in it. */
export type Defined<T> =
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
