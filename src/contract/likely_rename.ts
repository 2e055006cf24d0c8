/** What a thing that is gone may be called now. */
import { didYouMean } from "../core/did_you_mean.ts";
import { isObject } from "../core/values.ts";
import { sameJson } from "./stable_json.ts";

export interface NamedItem {
  name: string;
  /** What it is besides its name. */
  shape: unknown;
}

const isTelling = (shape: unknown): boolean => isObject(shape) && Object.keys(shape).length > 0;

/** The one new thing of the same shape, else the one whose name is near; undefined where there is none, or no single one. */
export function likelyRename({ name, shape }: NamedItem, added: readonly NamedItem[]): string | undefined {
  const alike = isTelling(shape) ? added.filter((other) => sameJson(other.shape, shape)) : [];
  if (alike.length === 1) return alike[0]!.name;
  return didYouMean(name, (alike.length > 0 ? alike : added).map((other) => other.name));
}
