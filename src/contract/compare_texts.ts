import type { SurfaceChange } from "../../machines/model/contract.ts";
import { isObject } from "../core/values.ts";

/** Texts of anything that has a name; a model may choose otherwise when they read differently. */
export function compareTexts(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
  path: string,
): SurfaceChange[] {
  return ["title", "description"].filter((key) => before[key] !== after[key]).map((key) => ({
    impact: "notice",
    code: `${key}-changed`,
    path: `${path}/${key}`,
    message: `the ${key} reads differently`,
  }));
}

/** Entries by a key of theirs; what has none cannot be told from others. */
export const indexByName = <Entry>(entries: readonly Entry[], key: string): Map<string, Entry> =>
  new Map(entries.flatMap((entry) => {
    const name = isObject(entry) ? entry[key] : undefined;
    return typeof name === "string" ? [[name, entry] as const] : [];
  }));
