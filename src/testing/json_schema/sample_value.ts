/** Example values for a schema. They are proposals: callers validate them. */
import { flattenSchema, schemaBranches } from "./flatten_schema.ts";
import { namedNumber, sampleNumber } from "./numbers.ts";
import { asSchema, type Schema, type SchemaNode, typesOf } from "./schema.ts";
import { sampleString } from "./strings.ts";
import { describedValues } from "./described_values.ts";
import { type InputHints, isWorkingFolder, pathValue } from "./path_values.ts";
import { isDuration } from "./schema_properties.ts";
import { textWords } from "../../core/text.ts";
import { isObject } from "../../core/values.ts";

export interface SampleOptions {
  /** Properties that an object gets. */
  properties: "required" | "all";
  /** Kind of values of the schema's author that is tried first. */
  prefer: "examples" | "default" | "none";
  /** Index of the alternative of `anyOf` and `oneOf`, if there are several. */
  branch: number;
  /** Knowledge about the tool that the value is for. */
  hints?: InputHints;
}

/** No value could be made. */
export const noSample: unique symbol = Symbol("nothing");
type Sample = unknown | typeof noSample;

interface Place {
  root: Schema;
  options: SampleOptions;
  /** Name of the property, for values that read like it. */
  name: string;
  /** Description of the list that the value is in, where it has none of its own. */
  description?: unknown;
  depth: number;
  /** References on the way here; one met twice is a recursion. */
  refs: string[];
}

/** An example value of a schema, or `nothing`. The same schema and options give the same value. */
export function sampleValue(schema: SchemaNode, options: SampleOptions, name = ""): Sample {
  return sampleAt(schema, { root: asSchema(schema), options, name, depth: 0, refs: [] });
}

/** Makes a sample like `sample`, for a part of a larger schema. */
export function samplePart(part: SchemaNode, root: Schema, options: SampleOptions, name: string): Sample {
  return sampleAt(part, { root, options, name, depth: 1, refs: [] });
}

function sampleAt(node: SchemaNode | undefined, place: Place): Sample {
  if (node === false || place.depth > 12) return noSample;
  const refs = [...place.refs];
  const flat = flattenSchema(node, place.root, refs);
  const given = place.depth === 0 ? noSample : givenValue(flat, place);
  if (given !== noSample) return given;
  const options = schemaBranches(flat, place.root, refs);
  // The chosen alternative first, then the others; "null" only when there is nothing else.
  const chosen = place.options.branch % options.length;
  const order = [...options.slice(chosen), ...options.slice(0, chosen)]
    .sort((a, b) => Number(isNull(a)) - Number(isNull(b)));
  for (const option of order) {
    const value = sampleOption(option, { ...place, refs });
    if (value !== noSample) return value;
  }
  return noSample;
}

const isNull = (schema: Schema): boolean => schema.const === null || typesOf(schema).join() === "null";

function sampleOption(option: Schema, place: Place): Sample {
  const flat = flattenSchema(option, place.root, place.refs);
  const given = place.depth === 0 ? noSample : givenValue(flat, place);
  if (given !== noSample) return given;
  if (Array.isArray(flat.oneOf) || Array.isArray(flat.anyOf)) {
    return sampleAt(flat, { ...place, depth: place.depth + 1 });
  }
  const types = typesOf(flat);
  const type = types.find((name) => name !== "null") ?? types[0] ?? (place.depth === 0 ? "object" : "string");
  return byType(type, flat, place);
}

/** A value that the schema's author wrote down. */
function givenValue(schema: Schema, place: Place): Sample {
  const { prefer } = place.options;
  if (Object.hasOwn(schema, "const")) return schema.const;
  const examples = Array.isArray(schema.examples) ? schema.examples.slice(0, 1) : [];
  if (Object.hasOwn(schema, "example")) examples.push(schema.example);
  const defaults = Object.hasOwn(schema, "default") && schema.default !== null ? [schema.default] : [];
  // An empty list says nothing, and a default that lies elsewhere is not asked for where a text in its place will do.
  const [only] = defaults;
  const saysNothing = Array.isArray(only) && only.length === 0 || isElsewhere(only, schema) ||
    isNoFile(only, schema, place);
  if (prefer === "examples" && saysNothing) defaults.pop();
  const given = prefer === "none"
    ? []
    : prefer === "examples"
    ? [...examples, ...defaults]
    : [...defaults, ...examples];
  if (given.length > 0) return given[0];
  return Array.isArray(schema.enum) && schema.enum.length > 0 ? schema.enum[0] : noSample;
}

const isElsewhere = (value: unknown, { description }: Schema): boolean =>
  typeof value === "string" && /^https?:/.test(value) && /\bdata ur[il]/i.test(description ?? "");

/** Whether a default names the folder in which the server happens to run, and an example file is at hand. */
const isNoFile = (
  value: unknown,
  { description }: Schema,
  { name, options: { hints = {} } }: Place,
): boolean =>
  isWorkingFolder(value) && hints.files !== undefined &&
  pathValue(name, description, hints) !== undefined;

function byType(type: string, schema: Schema, place: Place): Sample {
  switch (type) {
    case "string":
      return sampleString(schema, place.name, hintsAt(place)) ?? noSample;
    case "integer":
    case "number":
      return sampleNumber(schema, type === "integer", preferredNumber(schema, place));
    case "boolean":
      return true;
    case "null":
      return null;
    case "array":
      return sampleArray(schema, place);
    case "object":
      return sampleObject(schema, place);
    default:
      return noSample;
  }
}

const hintsAt = ({ description, options: { hints = {} } }: Place) => ({ description, hints });

function preferredNumber(schema: Schema, { name, description }: Place): number {
  const told = describedValues(schema.description ?? description).filter((text) =>
    /^-?\d+(?:\.\d+)?$/.test(text)
  )
    .map(Number).find((value) => Math.abs(value) <= 10_000);
  return told !== undefined && !isDuration(name) ? told : namedNumber(name);
}

/** True once a reference comes round a second time: optional parts are then left out. */
const recursing = ({ refs, depth }: Place): boolean => new Set(refs).size < refs.length || depth > 6;

function sampleArray(schema: Schema, place: Place): Sample {
  const below = {
    ...place,
    depth: place.depth + 1,
    name: singular(place.name),
    description: schema.description,
  };
  const tuple = schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : []);
  const rest = Array.isArray(schema.items) ? undefined : schema.items;
  const least = schema.minItems ?? 0;
  const usual = recursing(place)
    ? least
    : Math.max(least, tuple.length, rest === false ? 0 : usualCount(place));
  const count = Math.min(usual, schema.maxItems ?? usual, 100);
  const items: unknown[] = [];
  for (let index = 0; index < count; index++) {
    const wanted = schema.contains !== undefined && index === 0 && tuple.length === 0
      ? { allOf: [asSchema(rest), asSchema(schema.contains)] }
      : tuple[index] ?? rest;
    const value = distinct(wanted ?? {}, below, schema.uniqueItems === true ? items : []);
    if (value === noSample) return items.length >= least ? items : noSample;
    items.push(value);
  }
  return items;
}

/** One element, but two of what a tool brings together. */
const usualCount = ({ name, options: { hints = {} } }: Place): number =>
  textWords(hints.tool?.name ?? "").some((word) =>
      /^(?:merge|combine|concat|concatenate|compare|join|diff)$/.test(word)
    ) &&
    textWords(name).some((word) => /s$/.test(word))
    ? 2
    : 1;

/** Name of one of many. */
const singular = (name: string): string =>
  name.replace(/ies$/i, "y").replace(/(?<=(?:s|x|z|ch|sh))es$/i, "").replace(/(?<![su])s$/i, "");

/** A value that is not among those taken: the usual one, else other members of an enum, numbers and texts. */
function distinct(node: SchemaNode, place: Place, taken: readonly unknown[]): Sample {
  const value = sampleAt(node, place);
  const isTaken = (candidate: unknown) =>
    taken.some((other) => JSON.stringify(other) === JSON.stringify(candidate));
  if (value === noSample || !isTaken(value)) return value;
  const schema = flattenSchema(node, place.root);
  const { length } = taken;
  const others = Array.isArray(schema.enum)
    ? schema.enum
    : typeof value === "number"
    ? [sampleNumber(schema, true, value + length)]
    : typeof value === "string"
    ? [`${value}${length + 1}`.slice(-(schema.maxLength ?? 1000))]
    : typeof value === "boolean"
    ? [true, false]
    : [];
  return others.find((candidate) => !isTaken(candidate)) ?? noSample;
}

function sampleObject(schema: Schema, place: Place): Sample {
  const properties = asSchema(schema.properties) as Record<string, SchemaNode>;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const optional = place.options.properties === "all" && !recursing(place) ? Object.keys(properties) : [];
  // A part that holds nothing says nothing.
  const first = place.depth > 0 && required.length === 0 && !recursing(place)
    ? Object.keys(properties).slice(0, 1)
    : [];
  const result: Record<string, unknown> = {};
  for (const name of withDependents(schema, [...required, ...optional, ...first])) {
    const { description: _of, ...rest } = place;
    const below = { ...rest, depth: place.depth + 1, name };
    const value = sampleAt(properties[name] ?? asSchema(schema.additionalProperties), below);
    if (value !== noSample) setOwn(result, name, value);
    else if (required.includes(name)) return noSample;
  }
  fillRecord(schema, result, place);
  return result;
}

/** Names with those that they require in turn. */
function withDependents({ dependentRequired }: Schema, names: string[]): Set<string> {
  const all = new Set(names);
  // A set grows while it is walked, and what is added is walked too.
  for (const name of all) for (const other of dependentRequired?.[name] ?? []) all.add(other);
  return all;
}

/** Entries of a map with free keys: as many as it must have, and one when everything is asked for. */
function fillRecord(schema: Schema, result: Record<string, unknown>, place: Place): void {
  const { additionalProperties: rest } = schema;
  if (rest === false) return;
  const wanted = isObject(rest) && place.options.properties === "all" && !recursing(place) ? 1 : 0;
  const least = Math.min(
    Math.max(schema.minProperties ?? 0, Object.keys(result).length > 0 ? 0 : wanted),
    100,
  );
  const keys = asSchema(schema.propertyNames);
  for (let n = 0; Object.keys(result).length < least && n < 200; n++) {
    const member = Array.isArray(keys.enum) ? keys.enum[n] : sampleString(keys, "key");
    if (typeof member !== "string") return;
    const key = n === 0 || Array.isArray(keys.enum)
      ? member
      : member + "abcdefghij"[n % 10]!.repeat(1 + n / 10);
    const value = sampleAt(rest ?? {}, { ...place, depth: place.depth + 1, name: key });
    if (value === noSample) return;
    setOwn(result, key, value);
  }
}

/** A plain assignment to `__proto__` would set no property. */
function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
