import { textWords } from "../../../core/text.ts";
import { withValue } from "../attempt.ts";
import { namedPlaces } from "../named_places.ts";
import { defineRepair } from "../repair.ts";

const allowed =
  "allowed|supported|valid|available|accepted|possible|known|permitted|existing|configured|registered";
/** Words that announce a list of allowed values; the list follows. */
const sign = new RegExp(
  "\\b(?:(?:must|should|can|has to) (?:only )?be(?: one of| either| in| any of)?|" +
    `(?:expected|choose|use|try|select|${allowed})(?: (?:one of|values?|options?|choices?|[a-z]+s|are|is|either))*|one of)` +
    "\\s*(?:the following|are|is)?\\s*[:\\s([{\"'`]",
  "gi",
);
/** Before these, a colon announces a list even where that has one value. */
const surely = new RegExp(`^(?:${allowed})\\b.*:$`, "i");
const suggestion = /\bdid you mean:?\s*(?:["'`]([^"'`\n]{1,60})["'`]|([\w.:@#+/-]{1,60})(?=\s*[?.]))/gi;

const mostValues = 5;
const longestList = 400;
/** Values that only look at something need nothing else. */
const showing = new Set("list show get status read info help find search view count".split(" "));

export default defineRepair({
  name: "listed_value",
  summary:
    "`must be one of: p1, p2`, `available: p1`, `did you mean p1?`: the values that the refusal lists are tried",
  rank: 1,
  repair({ attempt, places, words }) {
    const listed = likeliestFirst([...new Set([...suggestedValues(words), ...listedValues(words)])]);
    if (listed.length === 0) return [];
    const named = namedPlaces(words, places);
    // Words that name nothing are about the only text that could be wrong.
    const texts = (named.length > 0 ? named : places).filter(({ value }) => typeof value === "string");
    return texts.slice(0, 3).flatMap(({ path, value }) =>
      listed.filter((each) => each !== value).slice(0, mostValues).map((each) =>
        withValue(attempt, path, each)
      )
    );
  },
});

const likeliestFirst = (values: readonly string[]): string[] => {
  const rank = (value: string) => showing.has(textWords(value)[0] ?? "") ? 0 : 1;
  return values.toSorted((a, b) => rank(a) - rank(b));
};

const suggestedValues = (words: string): string[] =>
  [...words.matchAll(suggestion)].map(([, quoted, plain]) => (quoted ?? plain)!);

/** Values behind words that announce a list: quoted ones where there are any, else words between commas and bars. */
export function listedValues(words: string): string[] {
  for (const match of words.matchAll(sign)) {
    const rest = words.slice(match.index + match[0].length - 1, match.index + match[0].length + longestList);
    const sentence = rest.split(/\n\n|[.;](?:\s|$)/)[0]!;
    const least = surely.test(match[0]) ? 1 : 2;
    const quoted = [...sentence.matchAll(/["'`]([^"'`\n]{1,60})["'`]/g)].map(([, value]) => value!).filter((
      value,
    ) => /[\p{L}\p{N}]/u.test(value));
    if (quoted.length >= least) return quoted;
    const parts = sentence.replace(/^[:\s([{]+|[)\]}]+.*$/gs, "").split(/\s*(?:,|\||\n|\/|\bor\b|\band\b)\s*/)
      .map((part) => part.replace(/^[\s"'`*-]+|[\s"'`.]+$/g, "")).filter((part) => part !== "");
    const isList = parts.length >= least && parts.every((part) => /^[\w.:@#+-]{1,60}$/.test(part));
    if (isList && !(parts.length === 1 && /^(?:none|null|nothing|empty|undefined)$/i.test(parts[0]!))) {
      return parts;
    }
  }
  return [];
}
