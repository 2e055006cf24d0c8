import { withValue } from "../attempt.ts";
import { namedPlaces } from "../named_places.ts";
import { defineRepair } from "../repair.ts";

/** Words that announce a list of allowed values; the list follows. */
const sign =
  /\b(?:(?:must|should|can|has to) (?:only )?be (?:one of|either|in|any of)|(?:expected|choose|use|try|select|allowed|supported|valid|available|accepted|possible|known|permitted)(?: (?:one of|values?|options?|choices?|[a-z]+s|are|is|either))*|one of)\s*(?:the following|are|is)?\s*[:\s([{"'`]/gi;

const mostValues = 5;
const longestList = 400;

export default defineRepair({
  name: "listed_value",
  summary: "`must be one of: p1, p2`: the values that the refusal lists are tried",
  rank: 1,
  repair({ attempt, places, words }) {
    const listed = listedValues(words);
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

/** Values behind words that announce a list: quoted ones where there are any, else words between commas and bars. */
export function listedValues(words: string): string[] {
  for (const match of words.matchAll(sign)) {
    const rest = words.slice(match.index + match[0].length - 1, match.index + match[0].length + longestList);
    const sentence = rest.split(/\n\n|[.;](?:\s|$)/)[0]!;
    const quoted = [...sentence.matchAll(/["'`]([^"'`\n]{1,60})["'`]/g)].map(([, value]) => value!).filter((
      value,
    ) => /[\p{L}\p{N}]/u.test(value));
    if (quoted.length > 1) return quoted;
    const parts = sentence.replace(/^[:\s([{]+|[)\]}]+.*$/gs, "").split(/\s*(?:,|\||\n|\/|\bor\b|\band\b)\s*/)
      .map((part) => part.replace(/^[\s"'`*-]+|[\s"'`]+$/g, "")).filter((part) => part !== "");
    if (parts.length > 1 && parts.every((part) => /^[\w.:@#+-]{1,60}$/.test(part))) return parts;
  }
  return [];
}
