/** Inputs with a value of another kind at one place, also deep inside: what a server that trusts its input trips over. */
import { isObject } from "../../../core/values.ts";
import type { GeneratedInput, IsValid, ProposedInput } from "../../json_schema/schema_properties.ts";
import { type Schema } from "../../json_schema/schema.ts";

const kinds: readonly [string, unknown][] = [
  ["null", null],
  ["a number", 7],
  ["a text", "text"],
  ["a boolean", true],
  ["a list", []],
  ["an object", {}],
  ["a list in a list", [[]]],
];

type Step = string | number;

const deepest = 5;

/** Every place of the input, each kind that the schema forbids there; and a property too many at the top. */
export function wrongKinds(schema: Schema, base: GeneratedInput, isValid: IsValid): ProposedInput[] {
  const places = placesOf(base, []).filter((path) => path.length > 0).slice(0, 20);
  const wrong = places.flatMap((path) =>
    kinds.map(([kind, value]) => ({
      what: `${kind} for ${path.join(".")}`,
      input: replaceAt(base, path, value) as GeneratedInput,
    }))
  );
  const more = ["constructor", "toString", ""].filter((name) => !Object.hasOwn(schema.properties ?? {}, name))
    .map((name) => ({ what: `an extra property "${name}"`, input: { ...base, [name]: "extra" } }));
  return [...wrong, ...more].filter(({ input }) => !isValid(input));
}

function placesOf(value: unknown, path: Step[]): Step[][] {
  if (path.length > deepest) return [];
  const entries: [Step, unknown][] = Array.isArray(value)
    ? value.slice(0, 2).map((item, index) => [index, item])
    : isObject(value)
    ? Object.entries(value)
    : [];
  return [path, ...entries.flatMap(([step, item]) => placesOf(item, [...path, step]))];
}

function replaceAt(value: unknown, [step, ...rest]: readonly Step[], by: unknown): unknown {
  if (step === undefined) return by;
  if (Array.isArray(value)) return value.with(step as number, replaceAt(value[step as number], rest, by));
  const before = isObject(value) ? value : {};
  return { ...before, [step]: replaceAt(before[step], rest, by) };
}
