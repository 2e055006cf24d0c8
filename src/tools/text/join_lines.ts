/** Small phrases that answers are made of. */

/** Milliseconds for people: `850 ms`, `2.4 s`. */
export const duration = (milliseconds: number): string =>
  milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;

/** Lines without those that have nothing to say. */
export const joinLines = (...parts: (string | false | undefined)[]): string =>
  parts.filter((part): part is string => typeof part === "string" && part !== "").join("\n");

/** A bounded list: the first so many, then how many more there are. */
export function limitedList(items: readonly string[], most: number, more = "more"): string[] {
  return items.length <= most ? [...items] : [...items.slice(0, most), `… ${items.length - most} ${more}`];
}
