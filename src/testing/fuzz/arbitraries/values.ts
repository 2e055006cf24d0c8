/** Values that a JSON Schema allows, as far as its keywords can be followed; callers validate each of them. */
import fc from "fast-check";
import { flattenSchema, schemaBranches } from "../../json_schema/flatten_schema.ts";
import { samplePart } from "../../json_schema/sample_value.ts";
import { asSchema, type Schema, type SchemaNode, typesOf } from "../../json_schema/schema.ts";
import { isDuration } from "../../json_schema/schema_properties.ts";
import { isObject } from "../../../core/values.ts";
import { textArbitrary, type TextOptions } from "./texts.ts";
import { numberLimits } from "../../json_schema/numbers.ts";
import { seeded } from "./seeded.ts";

interface ArbitraryContext extends TextOptions {
  root: Schema;
  /** Name of the property, for texts that read like it. */
  name: string;
  depth: number;
  /** References on the way here. */
  refs: readonly string[];
}

/** Deeper than this there is one sample only; a schema that contains itself ends there, too. */
const deepest = 6;
const longestList = 8;
const mostBranches = 10;

export function valueArbitrary(node: SchemaNode | undefined, place: ArbitraryContext): fc.Arbitrary<unknown> {
  if (place.depth > deepest || recurs(place.refs)) return sampled(node, place);
  const refs = [...place.refs];
  const options = schemaBranches(flattenSchema(node, place.root, refs), place.root, refs);
  const below = { ...place, refs };
  return anyOf(options.slice(0, mostBranches).map((option) => branch(option, below)));
}

/** A reference met for the third time is one too many. */
const recurs = (refs: readonly string[]): boolean =>
  refs.some((ref) => refs.filter((other) => other === ref).length > 2);

const anyOf = (all: fc.Arbitrary<unknown>[]): fc.Arbitrary<unknown> =>
  all.length === 1 ? all[0]! : fc.oneof({ withCrossShrink: true }, ...all);

function branch(option: Schema, place: ArbitraryContext): fc.Arbitrary<unknown> {
  const schema = flattenSchema(option, place.root);
  if (Object.hasOwn(schema, "const")) return fc.constant(schema.const);
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return fc.constantFrom(...schema.enum);
  if (schema.oneOf !== undefined || schema.anyOf !== undefined) {
    return valueArbitrary(schema, { ...place, depth: place.depth + 1 });
  }
  const types = typesOf(schema);
  return anyOf((types.length > 0 ? types : anyType).map((type) => ofType(type, schema, place)));
}

const anyType = ["string", "integer", "boolean", "null"];

function ofType(type: string, schema: Schema, place: ArbitraryContext): fc.Arbitrary<unknown> {
  switch (type) {
    case "string":
      return textArbitrary(schema, place.name, place);
    case "integer":
    case "number":
      return numberArbitrary(schema, type === "integer", place.name);
    case "boolean":
      return fc.boolean();
    case "array":
      return listArbitrary(schema, place);
    case "object":
      return objectArbitrary(schema, place);
    default:
      return fc.constant(null);
  }
}

function listArbitrary(schema: Schema, place: ArbitraryContext): fc.Arbitrary<unknown[]> {
  const { minItems = 0, maxItems = Infinity, uniqueItems = false } = schema;
  const first = schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : []);
  const below = { ...place, depth: place.depth + 1 };
  const rest = Array.isArray(schema.items) ? true : schema.items ?? schema.contains ?? true;
  const least = Math.max(0, minItems - first.length);
  const most = rest === false ? 0 : Math.max(least, Math.min(maxItems - first.length, longestList));
  const length = { minLength: least, maxLength: Math.max(most, 0) };
  const item = valueArbitrary(rest, below);
  const items = uniqueItems
    ? fc.uniqueArray(item, { ...length, selector: (value) => JSON.stringify(value) })
    : fc.array(item, length);
  if (first.length === 0) return items;
  const head = fc.tuple(...first.map((node) => valueArbitrary(node, below)));
  return fc.tuple(head, items).map(([fixed, more]) => [...fixed, ...more]);
}

function objectArbitrary(schema: Schema, place: ArbitraryContext): fc.Arbitrary<Record<string, unknown>> {
  const properties = asSchema(schema.properties) as Record<string, SchemaNode>;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const names = new Set([...Object.keys(properties), ...required]);
  const free = schema.additionalProperties;
  const at = (name: string) => ({ ...place, depth: place.depth + 1, name });
  const model = Object.fromEntries(
    [...names].map((name) => [name, valueArbitrary(properties[name] ?? asSchema(free), at(name))]),
  );
  const known = fc.record(model, { requiredKeys: required, noNullPrototype: true });
  if (!isObject(free) && !(names.size === 0 && schema.minProperties)) return known;
  const keys = asSchema(schema.propertyNames);
  const members = (Array.isArray(keys.enum) ? keys.enum : []).filter((name) => typeof name === "string");
  const key = members.length > 0
    ? fc.constantFrom(...members)
    : textArbitrary(keys, "key", { reaching: false }).filter((name) => name !== "__proto__");
  const more = fc.dictionary(key, valueArbitrary(asSchema(free), at("")), {
    minKeys: Math.max(0, (schema.minProperties ?? 0) - required.length),
    maxKeys: Math.max(schema.minProperties ?? 0, 4),
    noNullPrototype: true,
  });
  return fc.tuple(more, known).map(([others, own]) => ({ ...others, ...own }));
}

function sampled(node: SchemaNode | undefined, { root, name }: ArbitraryContext): fc.Arbitrary<unknown> {
  const value = samplePart(node ?? true, root, { properties: "required", prefer: "none", branch: 0 }, name);
  return fc.constant(typeof value === "symbol" ? null : value);
}

/** Bound for numbers that the schema does not limit further. */
const farthest = 65_536;

/** Values at which types, counters and buffers end. */
const borders = [
  -65_536,
  -32_769,
  -32_768,
  -129,
  -128,
  -1,
  0,
  1,
  2,
  127,
  128,
  255,
  256,
  1_000,
  32_767,
  65_535,
  65_536,
];

function numberArbitrary(schema: Schema, integer: boolean, name: string): fc.Arbitrary<number> {
  const { minimum, maximum, step } = numberLimits(schema, integer);
  const low = minimum > farthest ? minimum : Math.max(minimum, -farthest);
  const wanted = isDuration(name) ? Math.max(1, low) : maximum < -farthest ? maximum : farthest;
  const high = Math.max(low, Math.min(maximum, wanted));
  return step > 0 ? steps(low, high, step) : fractions(low, high);
}

function steps(low: number, high: number, step: number): fc.Arbitrary<number> {
  const [first, last] = [Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9)];
  if (first > last) return fc.constant(low);
  const inside = step === 1 ? borders.filter((value) => value >= first && value <= last) : [];
  const pool = [...new Set([first, last, ...inside])];
  return seeded(pool, fc.integer({ min: first, max: last }), { first: nearZero }).map((count) =>
    exact(count * step)
  );
}

const near = [0, 1, 2, 10, 100];

/** Halving takes up to 16 steps from the farthest number, and often any negative one does it. */
const nearZero = (value: number): number[] =>
  near.filter((size) => size < Math.abs(value)).map((size) => value < 0 ? 0 - size : size);

function fractions(low: number, high: number): fc.Arbitrary<number> {
  if (low >= high) return fc.constant(low);
  const whole = Math.ceil(low) <= Math.floor(high)
    ? steps(Math.ceil(low), Math.floor(high), 1)
    : fc.constantFrom(low, high);
  return fc.oneof(whole, fc.double({ min: low, max: high, noNaN: true }));
}

/** 0.1 × 3 is 0.30000000000000004, which is no multiple of 0.1 to a validator. */
const exact = (value: number): number => Number(value.toPrecision(15));
