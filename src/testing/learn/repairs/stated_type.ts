import { withValue } from "../attempt.ts";
import { namedPlaces } from "../named_places.ts";
import { defineRepair } from "../repair.ts";

const sign =
  /\b(?:must|should|has to|needs to) be (?:an? |of type )?["'`]?(array|list|object|number|integer|boolean|bool|string)\b|\bexpected (?:an? |type )?["'`]?(array|list|object|number|integer|boolean|bool|string)\b|\bis not (?:an? )(array|list|object|number|integer|boolean|string)\b/i;

const element = { name: "example", value: 1 };

export default defineRepair({
  name: "stated_type",
  summary: "`data must be an array`: where the schema allows any type, the value gets the one that is stated",
  rank: 4,
  repair({ attempt, places, words }) {
    const [, must, expected, not] = sign.exec(words) ?? [];
    const type = (must ?? expected ?? not)?.toLowerCase();
    if (type === undefined) return [];
    return namedPlaces(words, places).slice(0, 3).flatMap(({ path, value }) =>
      valuesOf(type, value).map((each) => withValue(attempt, path, each))
    );
  },
});

/** Values of a type, near to one of another type. */
function valuesOf(type: string, value: string | number): unknown[] {
  switch (type) {
    case "array":
    case "list":
      return [[value], [element]];
    case "object":
      return [element];
    case "boolean":
    case "bool":
      return [true];
    case "string":
      return typeof value === "string" ? [] : [String(value)];
    default:
      return typeof value === "number" ? [] : [1];
  }
}
