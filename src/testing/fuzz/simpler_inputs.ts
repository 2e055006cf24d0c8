/**
 * Simpler values than a JSON value: one part less, or one part in its simplest form. `isSimpler` is an order without
 * infinite descent, so that taking simpler ones ends.
 */
import { isObject } from "../../core/values.ts";

type Input = Record<string, unknown>;

/** Simpler inputs, the boldest first; the last ones differ by a single property, element, character or number. */
export function* simplerInputs(input: Input): Generator<Input> {
  for (const value of simpler(input)) if (isObject(value) && isSimpler(value, input)) yield value;
}

/** Simplest values of each type, the simplest first. */
const simplest: readonly unknown[] = [null, false, 0, "", [], {}];

function* simpler(value: unknown): Generator<unknown> {
  yield* simplest;
  if (typeof value === "string") yield* simplerTexts(value);
  else if (typeof value === "number") yield* simplerNumbers(value);
  else if (Array.isArray(value)) yield* simplerLists(value);
  else if (isObject(value)) yield* simplerObjects(value);
}

/** Often one character does it; those that are no letters first. */
const mostSingles = 40;
/** Characters that take the place of rarer ones. */
const plainCharacters = ["a", "0", " ", "é"];

function* simplerTexts(text: string): Generator<string> {
  const characters = [...text];
  const signs = [...new Set(characters)];
  if (characters.length > 1) {
    const letters = /^[\p{L}\p{N}]$/u;
    yield* signs.toSorted((a, b) => Number(letters.test(a)) - Number(letters.test(b))).slice(0, mostSingles);
  }
  for (const rest of withoutParts(characters)) yield rest.join("");
  for (const [index, character] of characters.entries()) {
    for (const plain of plainCharacters) {
      if (rarity(plain) < rarity(character)) yield characters.with(index, plain).join("");
    }
  }
}

/** Towards zero: the small ones, then by halves, then by one. */
function* simplerNumbers(number: number): Generator<number> {
  yield* [1, -1, 2, -2, 10, 100];
  const whole = Math.trunc(number);
  yield whole;
  for (let step = whole; Math.abs(step) >= 1; step = Math.trunc(step / 2)) yield whole - step;
}

function* simplerLists(list: readonly unknown[]): Generator<unknown[]> {
  if (list.length > 1) { for (const item of list.slice(0, mostSingles)) yield [item]; }
  yield* withoutParts(list);
  for (const [index, item] of list.entries()) {
    for (const less of simpler(item)) yield list.with(index, less);
  }
}

function* simplerObjects(object: Input): Generator<Input> {
  const entries = Object.entries(object);
  for (const rest of withoutParts(entries)) yield Object.fromEntries(rest);
  for (const [key, value] of entries) {
    for (const less of simpler(value)) {
      yield Object.fromEntries(entries.map(([name, old]) => [name, name === key ? less : old]));
    }
  }
}

/** The list without its halves, its quarters and so on, to each single element. */
export function* withoutParts<Item>(list: readonly Item[]): Generator<Item[]> {
  for (let size = Math.ceil(list.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < list.length; from += size) {
      yield [...list.slice(0, from), ...list.slice(from + size)];
    }
  }
}

/** The fewer values, then characters, then digits, then plainer kinds, characters and smaller numbers, the simpler. */
function weight(value: unknown): number[] {
  if (value === null) return [1, 0, 0, 0, 0];
  if (typeof value === "boolean") return [1, 0, 0, value ? 2 : 1, 0];
  if (typeof value === "number") {
    return [
      1,
      0,
      value === 0 ? 0 : String(Math.abs(value)).length,
      3,
      Math.abs(value) * 2 + Number(value < 0),
    ];
  }
  if (typeof value === "string") {
    const characters = [...value];
    return [1, characters.length, 0, 4, characters.reduce((sum, each) => sum + rarity(each), 0)];
  }
  const parts = Array.isArray(value) ? value : Object.values(value as Input);
  return parts.map(weight).reduce(
    (sum, part) => sum.map((figure, index) => figure + part[index]!),
    [1, 0, 0, Array.isArray(value) ? 5 : 6, 0],
  );
}

export function isSimpler(one: unknown, other: unknown): boolean {
  const [first, second] = [weight(one), weight(other)];
  const differing = first.findIndex((figure, index) => figure !== second[index]);
  return differing >= 0 && first[differing]! < second[differing]!;
}

/** Rank of one character: `a` is the plainest, then letters, digits, space, signs, letters of other alphabets, all else. */
function rarity(character: string): number {
  if (character === "a") return 0;
  if (/^[A-Za-z]$/.test(character)) return 1;
  if (/^[0-9]$/.test(character)) return character === "0" ? 2 : 3;
  if (character === " ") return 4;
  if (/^[!-~]$/.test(character)) return 5;
  if (character === "é") return 6;
  return /^[\p{L}\p{N}]$/u.test(character) ? 7 : 8;
}
