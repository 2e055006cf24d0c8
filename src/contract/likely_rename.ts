/** Finds the new name of a removed item. */
import { didYouMean } from "../core/did_you_mean.ts";
import { isObject } from "../core/values.ts";
import type { SurfaceChange } from "../../machines/model/contract.ts";

export interface NamedItem {
  name: string;
  /** Definition without the name. */
  shape: unknown;
}

const isTelling = (shape: unknown): boolean => isObject(shape) && Object.keys(shape).length > 0;

/** The one new thing of the same shape, else the one whose name is near; undefined where there is none, or no single one. */
export function likelyRename({ name, shape }: NamedItem, added: readonly NamedItem[]): string | undefined {
  const alike = isTelling(shape) ? added.filter((other) => sameJson(other.shape, shape)) : [];
  if (alike.length === 1) return alike[0]!.name;
  return didYouMean(name, (alike.length > 0 ? alike : added).map((other) => other.name));
}

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

/** Indexes entries by a key; those without it are left out. */
export const indexByName = <Entry>(entries: readonly Entry[], key: string): Map<string, Entry> =>
  new Map(entries.flatMap((entry) => {
    const name = isObject(entry) ? entry[key] : undefined;
    return typeof name === "string" ? [[name, entry] as const] : [];
  }));

const sorted = (_key: string, value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
    : value;

/** Equal values have equal texts. */
export const stableJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, sorted, indent) ?? "null";

export const sameJson = (a: unknown, b: unknown): boolean => stableJson(a) === stableJson(b);
