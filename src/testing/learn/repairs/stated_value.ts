import { schemaProperties } from "../../json_schema/schema_properties.ts";
import { withValue } from "../attempt.ts";
import { hasWord } from "../named_places.ts";
import { defineRepair } from "../repair.ts";

/** Words between a property and its value: `pass x: true`, `x flag must be set to true`, `all/update must be true`. */
const tie = "[\"'`]?(?:/\\w{1,40}){0,3}(?: (?:flag|parameter|option|argument|property|field))? ?" +
  "(?:=|:|to be|to|is|(?:must|should|has to|needs to|can) be(?: set to)?|set to) ?";
const value = "(true|false|-?\\d{1,9}|[\"'`][^\"'`\\n]{1,60}[\"'`])";

const mostProperties = 60;

export default defineRepair({
  name: "stated_value",
  summary:
    "`pass force: true`, `all must be set to true`: the property that the refusal names gets the value that it states",
  rank: 1,
  repair({ schema, attempt, words }) {
    const properties = schemaProperties(schema).slice(0, mostProperties)
      .filter(({ name }) => /^[\w-]{1,60}$/.test(name) && hasWord(words, name));
    return properties.flatMap(({ name }) => {
      const [, stated] = new RegExp(`(?<![\\w-])${name}${tie}${value}`).exec(words) ?? [];
      if (stated === undefined) return [];
      const wanted = statedValue(stated);
      return attempt.input[name] === wanted ? [] : [withValue(attempt, [name], wanted)];
    });
  },
});

function statedValue(text: string): unknown {
  if (text === "true" || text === "false") return text === "true";
  return /^-?\d+$/.test(text) ? Number(text) : text.slice(1, -1);
}
