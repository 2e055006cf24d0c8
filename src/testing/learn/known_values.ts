/** Values that earlier calls gave, and which of them a property of another tool is likely to mean. */
import { textWords } from "../../core/text.ts";
import type { InputPlace } from "./input_places.ts";

/** A call that a tool accepted. */
export interface AcceptedCall {
  /** Position among all accepted calls of its server instance. */
  at: number;
  tool: string;
}

export interface KnownValue {
  value: string | number;
  key: readonly string[];
  parents: readonly string[];
  /** Captures it from the answer, as a test does; absent for a value that the call's own input named. */
  capture?: string;
  from: AcceptedCall;
}

/** Verbs and small words of tools' names; the others name what they are about. */
const notAbout = new Set(
  ("get list create add update delete remove set start stop find search read write make new open close run " +
    "execute show fetch insert edit change modify move copy append send save load store view query lookup use " +
    "select switch begin end finish complete mark assign check validate export import describe all by to from the " +
    "of for with in on and or a an id ids name details info parent source target owner previous next old root current " +
    "first last").split(" "),
);

/** A word without the ending of its plural. */
export const singular = (word: string): string =>
  word.length > 3 && word.endsWith("ies")
    ? `${word.slice(0, -3)}y`
    : word.length > 3 && word.endsWith("s") && !word.endsWith("ss")
    ? word.slice(0, -1)
    : word;

/** Words of what a tool is about: `task` of `list_tasks`. */
export const subjectsOf = (tool: string): string[] =>
  textWords(tool).map(singular).filter((word) => !notAbout.has(word));

/** Kinds of values that name something that is there already. */
const referring: readonly (readonly [RegExp, string])[] = [
  [/^(?:ids?|identifier|uuid|guid|ulid|handle|ref|reference|pid|number|index|no)$/, "id"],
  [/^(?:key|slug|code|token|cursor|hash|sha|version|branch|tag|uri|url)$/, "same"],
  [/^(?:names?|title|label)$/, "name"],
  [/^(?:path|file|filename|filepath|folder|directory)$/, "path"],
];

/** Kind of a name by its last word, or undefined where it names a thing: `project`. */
function kindOf(words: readonly string[]): string | undefined {
  const last = words.at(-1);
  if (last === undefined) return "id";
  const found = referring.find(([sign]) => sign.test(last));
  return found === undefined ? undefined : found[1] === "same" ? singular(last) : found[1];
}

interface Reference {
  kind: string | undefined;
  subjects: string[];
  /** Whether the name itself says what it is about. */
  explicit: boolean;
}

function referenceOf(words: readonly string[], parents: readonly string[], tool: string): Reference {
  const kind = kindOf(words);
  const own = (kind === undefined ? words : words.slice(0, -1)).map(singular);
  const above = parents.map(singular);
  const named = [...own, ...above].filter((word) => !notAbout.has(word));
  return {
    kind,
    subjects: named.length > 0 ? named : subjectsOf(tool),
    explicit: own.some((word) => !notAbout.has(word)),
  };
}

/** Likelihood that a property means a value; 2 is the least that is worth a call. */
function score(place: InputPlace, tool: string, value: KnownValue): number {
  if (typeof place.value !== typeof value.value) return 0;
  const wanted = referenceOf(place.words, [], tool);
  const given = referenceOf(value.key, value.parents, value.from.tool);
  const isShared = wanted.subjects.some((word) => given.subjects.includes(word));
  const kinds = wanted.kind === given.kind
    ? wanted.kind === undefined ? (isShared ? 4 : 0) : 4
    : wanted.kind === undefined || given.kind === undefined
    ? (isShared ? 3 : 0)
    : 0;
  if (kinds === 0) return 0;
  const apart = !wanted.explicit ? 1 : given.explicit ? 4 : 2;
  return kinds + (isShared ? 4 : -apart) - (value.capture === undefined ? 1 : 0);
}

/** Whether a property of this name refers to something that is there already. */
export const isReference = ({ words }: Pick<InputPlace, "words">): boolean => kindOf(words) !== undefined;

/** Places that name what a tool is about: of a chunk's project and id, `delete_chunk` ends the chunk; all where none does. */
export function placesOfSubject(places: readonly InputPlace[], tool: string): readonly InputPlace[] {
  const about = subjectsOf(tool);
  const found = places.filter((place) => {
    const { explicit, subjects } = referenceOf(place.words, [], tool);
    return explicit ? subjects.some((word) => about.includes(word)) : isReference(place);
  });
  return found.length > 0 ? found : places;
}

/** The first of several answers that gave a value: it made it. */
function firstOf(value: KnownValue, all: readonly { value: KnownValue }[]): KnownValue {
  const same = all.map((each) => each.value)
    .filter((each) => each.value === value.value && each.capture !== undefined);
  return same.reduce((first, each) => each.from.at < first.from.at ? each : first, same[0] ?? value);
}

const mostKnown = 2_000;

export class KnownValues {
  #all: KnownValue[] = [];

  add(values: readonly KnownValue[]): void {
    this.#all = [...this.#all, ...values].slice(-mostKnown);
  }

  clear(): void {
    this.#all = [];
  }

  /** Forgets values of what was ended. */
  spend(values: readonly unknown[]): void {
    this.#all = this.#all.filter(({ value }) => !values.includes(value));
  }

  /** Values that the property is likely to mean, the likeliest first, later ones before earlier ones. */
  fitting(place: InputPlace, tool: string, most: number): KnownValue[] {
    const scored = this.#all.map((value, at) => ({ value, at, score: score(place, tool, value) }))
      .filter(({ score }) => score >= 2)
      .sort((a, b) => b.score - a.score || b.value.from.at - a.value.from.at || a.at - b.at);
    const seen = new Set<unknown>();
    const each = scored.filter(({ value: { value } }) => !seen.has(value) && seen.add(value)).slice(0, most);
    return each.map(({ value }) => firstOf(value, scored));
  }
}
