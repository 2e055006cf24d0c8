import { withValue } from "../attempt.ts";
import { namedPlaces } from "../named_places.ts";
import { defineRepair } from "../repair.ts";

const sign =
  /\b(?:cannot|can't|can not|must not|may not|should not|without|no) (?:contain |have |include )?(?:any )?(?:path separators?|slashes|director(?:y|ies)|["'`]?\/["'`]?(?= |$))|\bnot a path\b|\bjust the (?:file ?)?name\b/i;

export default defineRepair({
  name: "plain_name",
  summary: "`filename cannot contain path separators`: a path becomes its last part",
  rank: 5,
  repair({ attempt, places, words }) {
    if (!sign.test(words)) return [];
    const paths = places.filter(({ value }) => typeof value === "string" && /[^/]\/[^/]|^\/[^/]/.test(value));
    const named = namedPlaces(words, paths);
    return [...new Set([...named, ...paths])].slice(0, 3).map(({ path, value }) =>
      withValue(attempt, path, String(value).split("/").findLast((part) => part !== ""))
    );
  },
});
