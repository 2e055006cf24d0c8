import { withValue } from "../attempt.ts";
import { namedPlaces } from "../named_places.ts";
import { defineRepair } from "../repair.ts";

const number = "(-?\\d{1,15}(?:\\.\\d{1,6})?)";
const between = new RegExp(
  `\\b(?:between|from|(?:in|of|within)(?: the)?(?: valid| allowed)? range(?: of)?)\\s*[:\\[(]?\\s*${number}\\s*(?:and|to|-|–|\\.\\.|,)\\s*${number}`,
  "i",
);
const least = new RegExp(
  `(?:\\b(?:at least|minimum(?: (?:of|is|value))?|no less than|not less than|greater than or equal to|min)\\b:?|>=)\\s*${number}`,
  "i",
);
const above = new RegExp(`(?:\\b(?:greater|more|larger|higher|bigger) than|\\bexceed|>)\\s*${number}`, "i");
const most = new RegExp(
  `(?:\\b(?:at most|maximum(?: (?:of|is|value))?|no more than|not more than|less than or equal to|max|up to)\\b:?|<=)\\s*${number}`,
  "i",
);
const below = new RegExp(`(?:\\b(?:less|smaller|lower|fewer) than|<)\\s*${number}`, "i");

export default defineRepair({
  name: "number_limit",
  summary:
    "`must be between 2 and 5`, `at least 10 characters`: a number or a text's length is brought into its limits",
  rank: 7,
  repair({ attempt, places, words }) {
    const wanted = wantedNumber(words);
    if (wanted === undefined) return [];
    const named = namedPlaces(words, places);
    return (named.length > 0 ? named : places).slice(0, 3).flatMap(({ path, value }) => {
      if (typeof value === "number") return value === wanted ? [] : [withValue(attempt, path, wanted)];
      const ofLength = lengthened(value, words, wanted);
      return ofLength === value ? [] : [withValue(attempt, path, ofLength)];
    });
  },
});

/** A number within the limits that a refusal names. */
export function wantedNumber(words: string): number | undefined {
  const range = between.exec(words);
  if (range !== null) return Number(range[1]);
  const found = (sign: RegExp, by: number) => {
    const [, text] = sign.exec(words) ?? [];
    return text === undefined ? undefined : Number(text) + by;
  };
  return found(least, 0) ?? found(above, 1) ?? found(most, 0) ?? found(below, -1) ??
    (/\bpositive\b/i.test(words) ? 1 : undefined);
}

const longestMade = 2_000;

/** A text of that length, where the refusal speaks of lengths. */
function lengthened(text: string, words: string, length: number): string {
  if (!/\b(?:characters?|chars?|long|length|letters?|digits?)\b/i.test(words)) return text;
  if (!(length >= 1 && length <= longestMade)) return text;
  return text.length > length ? text.slice(0, length) : text.padEnd(length, text === "" ? "x" : text);
}
