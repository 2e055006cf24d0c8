import { withValue } from "../attempt.ts";
import { namedPlaces } from "../named_places.ts";
import { defineRepair } from "../repair.ts";

const sign =
  /\balready (?:exists?|in use|taken|registered|defined|present|been)|\bduplicate|\bnot unique\b|\bmust be unique|\bEEXIST\b/i;
const extension = /(\.\w{1,8})?$/;

export default defineRepair({
  name: "fresh_name",
  summary: "`example already exists`: what is made gets another name",
  rank: 0,
  repair({ attempt, places, words }) {
    if (!sign.test(words)) return [];
    const texts = places.filter(({ value }) => typeof value === "string");
    const named = namedPlaces(words, texts);
    return (named.length > 0 ? named : texts).slice(0, 3).map(({ path, value }) =>
      withValue(attempt, path, String(value).replace(extension, "-learned$1"))
    );
  },
});
