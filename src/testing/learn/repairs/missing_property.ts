import { isObject } from "../../../core/values.ts";
import { schemaProperties } from "../../json_schema/schema_properties.ts";
import { type Attempt, withValue } from "../attempt.ts";
import { hasWord } from "../named_places.ts";
import { defineRepair } from "../repair.ts";

const sign =
  /\brequire[sd]?\b|\bmissing\b|\bmust (?:be )?(?:provide|specif|includ|have|give)|\bneed(?:s|ed)?\b|\bprovide\b|\bspecify\b|\bexpected\b|\bempty\b|\bundefined\b|\bcannot be (?:blank|empty)/i;

export default defineRepair({
  name: "missing_property",
  summary: "`assignee is required when mode is assign`: a property that the refusal names is added",
  rank: 2,
  repair({ schema, attempt, words, full }) {
    if (!sign.test(words)) return [];
    const lacking = schemaProperties(schema).filter(({ name }) =>
      !Object.hasOwn(attempt.input, name) && Object.hasOwn(full, name) && hasWord(words, name)
    );
    const nested = nestedLacking(attempt.input, full, words);
    const all = [...lacking.map(({ name }) => [[name], full[name]] as const), ...nested];
    if (all.length === 0) return withUndescribed(attempt, full, words);
    const together = all.reduce((made, [path, value]) => withValue(made, path, value), attempt);
    return all.length === 1
      ? [together]
      : [together, ...all.map(([path, value]) => withValue(attempt, path, value))];
  },
});

/** A name that is said to be required, in quotes or behind "missing field". */
const required =
  /["'`](\w{1,60})["'`] (?:field |property |parameter )?(?:is|are) (?:required|missing)\b|\b(?:missing|requires?)(?: (?:a|the|required))* (?:field|property|key|parameter|argument)s?:? ["'`]?(\w{1,60})/i;

/** Objects may hold what the schema does not describe: there, the name gets a text, which later refusals may correct. */
function withUndescribed(attempt: Attempt, full: Record<string, unknown>, words: string): Attempt[] {
  const [, quoted, named] = required.exec(words) ?? [];
  const key = quoted ?? named;
  if (key === undefined || Object.hasOwn(full, key)) return [];
  return Object.entries({ ...full, ...attempt.input }).flatMap(([name, value]) =>
    isObject(value) && !Object.hasOwn(value, key) ? [withValue(attempt, [name, key], "example")] : []
  ).slice(0, mostObjects);
}

const mostObjects = 3;

/** Properties of the objects within an input that the whole input has. */
function nestedLacking(
  input: Record<string, unknown>,
  full: Record<string, unknown>,
  words: string,
): (readonly [(string | number)[], unknown])[] {
  return Object.entries(input).flatMap(([name, value]) => {
    const [own, other, path] = Array.isArray(value)
      ? [value[0], (full[name] as unknown[] | undefined)?.[0], [name, 0]]
      : [value, full[name], [name]];
    if (!isObject(own) || !isObject(other)) return [];
    return Object.entries(other).filter(([key]) => !Object.hasOwn(own, key) && hasWord(words, key))
      .map(([key, each]) => [[...path, key], each] as const);
  });
}
