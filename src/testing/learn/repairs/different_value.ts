import { enumOf, schemaProperties } from "../../json_schema/schema_properties.ts";
import { withFeeds, withValue } from "../attempt.ts";
import { namedPlaces } from "../named_places.ts";
import { defineRepair } from "../repair.ts";

const sign =
  /\b(?:are|is|be) (?:the )?(?:same|identical|equal)\b|\bmust (?:be )?(?:differ(?:ent)?|distinct)\b|\b(?:on|to|with|into|of) itself\b|\bsame as\b|\balready (?:in|at|has) (?:that|this|the)\b/i;

const mostOthers = 3;

export default defineRepair({
  name: "different_value",
  summary: "`source and target are the same`: one of two equal values becomes another",
  rank: 2,
  repair({ attempt, places, words, schema, tool, values }) {
    if (!sign.test(words)) return [];
    const alike = places.filter((place) =>
      places.some((other) => other !== place && other.value === place.value)
    );
    const named = namedPlaces(words, alike);
    // The later one is the target, as a rule, and the first one what there is.
    const ordered = [...new Set([...named, ...alike])].sort((a, b) => places.indexOf(b) - places.indexOf(a));
    const parts = new Map(schemaProperties(schema).map(({ name, part }) => [name, part]));
    return ordered.slice(0, mostOthers).flatMap((place) => {
      const isOther = (value: unknown) => value !== place.value;
      const members = enumOf(parts.get(place.name) ?? {}, schema).filter(isOther).slice(0, mostOthers);
      const known = values.fitting(place, tool.name, mostOthers + 1).filter(({ value }) => isOther(value));
      return [
        ...members.map((member) => withValue(attempt, place.path, member)),
        ...known.map((value) => withFeeds(attempt, [{ path: place.path, value }])),
        ...typeof place.value === "string" ? [withValue(attempt, place.path, `${place.value}-other`)] : [],
      ];
    });
  },
});
