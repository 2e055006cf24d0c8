/** Texts and numbers within an input, each with the property that it stands in. */
import { isObject } from "../../core/values.ts";
import { textWords } from "../../core/text.ts";
import type { Path } from "../../core/read_source.ts";
import type { GeneratedInput } from "../json_schema/schema_properties.ts";

export interface InputPlace {
  path: Path;
  /** Name of the nearest property. */
  name: string;
  /** Words of that name. */
  words: string[];
  value: string | number;
}

const mostPlaces = 40;
const deepest = 6;

export const inputPlaces = (input: GeneratedInput): InputPlace[] =>
  placesIn(input, [], "", 0).slice(0, mostPlaces);

function placesIn(value: unknown, path: Path, name: string, depth: number): InputPlace[] {
  if (typeof value === "string" || typeof value === "number") {
    return [{ path, name, words: textWords(name), value }];
  }
  if (depth >= deepest) return [];
  if (Array.isArray(value)) {
    return value.slice(0, 3).flatMap((item, index) => placesIn(item, [...path, index], name, depth + 1));
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => placesIn(item, [...path, key], key, depth + 1));
}

/** The input with another value at a path; what is not there is added. */
export function withValueAt(input: GeneratedInput, path: Path, value: unknown): GeneratedInput {
  return replaced(input, path, value) as GeneratedInput;
}

function replaced(part: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value;
  if (Array.isArray(part)) {
    return part.map((item, index) => index === step ? replaced(item, rest, value) : item);
  }
  const map = isObject(part) ? part : {};
  return { ...map, [step]: replaced(map[step], rest, value) };
}

export const isSamePath = (a: Path, b: Path): boolean =>
  a.length === b.length && a.every((step, index) => step === b[index]);
