/** Inputs for a tool by its schema: valid ones, ones at the limits, and ones that break it. All are verified. */
import type { Breach } from "../assertions/refuses.ts";
import { boundaryNumbers, numbersOutside, sampleNumber } from "./numbers.ts";
import { branches, flatten } from "./resolve.ts";
import { nothing, sample, type SampleOptions, samplePart } from "./sample.ts";
import { asSchema, isMap, type Schema, type SchemaNode, typesOf } from "./schema.ts";
import { breakPattern, fitLength } from "./strings.ts";
import { words } from "./words.ts";

export type Input = Record<string, unknown>;

/** An input, and what is special about it as it reads in a test's name. */
export interface ProposedInput {
  what: string;
  input: Input;
}

export interface InvalidInput extends ProposedInput {
  breach: Breach;
}

/** Says whether a whole input obeys the tool's schema. */
export type IsValid = (input: unknown) => boolean;

const key = (input: unknown): string => JSON.stringify(input);

/** Valid inputs, the plainest first; empty when none could be made. */
export function validInputs(schema: Schema, isValid: IsValid): ProposedInput[] {
  const found: ProposedInput[] = [];
  const propose = (what: string, input: unknown) => {
    if (isMap(input) && isValid(input) && !found.some((other) => key(other.input) === key(input))) {
      found.push({ what, input });
    }
    return found.length;
  };
  const base = firstValid(schema, isValid, "required");
  if (base === undefined) return [];
  propose(Object.keys(base).length === 0 ? "no arguments" : "required only", base);
  propose("all properties", firstValid(schema, isValid, "all"));
  propose("defaults", sample(schema, { properties: "all", prefer: "default", branch: 0 }));
  for (let branch = 1; branch < Math.min(4, topBranches(schema)); branch++) {
    propose(`variant ${branch + 1}`, sample(schema, { properties: "required", prefer: "examples", branch }));
  }
  for (const { name, part } of parts(schema)) {
    for (const member of enumOf(part, schema).slice(0, 5)) {
      propose(`${name} = ${JSON.stringify(member)}`, { ...base, [name]: member });
    }
  }
  return found;
}

/** Ways to make a value, the likeliest to work at the server first. */
function firstValid(schema: Schema, isValid: IsValid, properties: "required" | "all"): Input | undefined {
  for (const prefer of ["examples", "default", "none"] as const) {
    for (const branch of [0, 1, 2, 3]) {
      const value = sample(schema, { properties, prefer, branch });
      if (value !== nothing && isMap(value) && isValid(value)) return value;
    }
  }
  return undefined;
}

function topBranches(schema: Schema): number {
  return branches(flatten(schema, schema), schema).length;
}

interface Part {
  name: string;
  /** Flattened; of a nullable alternative the part that is not null. */
  part: Schema;
  required: boolean;
}

/** The properties at the top of an input, as they are when there are no alternatives. */
function parts(schema: Schema): Part[] {
  const top = flatten(schema, schema);
  const required = Array.isArray(top.required) ? top.required : [];
  return Object.entries(asSchema(top.properties)).map(([name, node]) => ({
    name,
    part: solePart(node as SchemaNode, schema),
    required: required.includes(name),
  }));
}

/** `anyOf: [X, null]` is X for whoever looks for limits; real alternatives have none that could be told. */
function solePart(node: SchemaNode, root: Schema): Schema {
  const flat = flatten(node, root);
  const options = branches(flat, root).filter((option) => typesOf(option).join() !== "null");
  if (options.length === 1) return options[0]!;
  const { type: _type, ...rest } = flat;
  return rest;
}

/** Members of an enum, also where they are written as alternatives with a `const` each. */
function enumOf(part: Schema, root: Schema): unknown[] {
  if (Array.isArray(part.enum)) return part.enum.filter((member) => member !== null);
  const options = branches(part, root);
  const constants = options.filter((option) => Object.hasOwn(option, "const"));
  return options.length > 1 && constants.length === options.length
    ? constants.map((option) => option.const)
    : [];
}

/** Arguments by which a server sleeps or waits; their upper limits are left alone. */
const isDuration = (name: string): boolean =>
  words(name).some((word) =>
    /^(?:duration|seconds?|secs?|ms|millis(?:econds)?|minutes?|hours?|timeout|delay|sleep|wait|interval|ttl)$/
      .test(word)
  );

/** A valid input for many calls: like `base`, but where the server would sleep by default it is told to sleep shortly. */
export function quickInput(schema: Schema, base: Input, isValid: IsValid): Input {
  const numeric = parts(schema).filter(({ part }) =>
    typesOf(part).some((type) => /^(?:integer|number)$/.test(type))
  );
  const slow = numeric.filter(({ name, part }) => isDuration(name) && Number(base[name] ?? part.default) > 1);
  const quick = {
    ...base,
    ...Object.fromEntries(slow.map(({ name, part }) => [name, sampleNumber(part, true)])),
  };
  return isValid(quick) ? quick : base;
}

/** Inputs with one property at a limit. */
export function boundaryInputs(schema: Schema, base: Input, isValid: IsValid): ProposedInput[] {
  const lists = parts(schema).map(({ name, part }) =>
    boundaryValues(name, part, schema).map(({ what, value }) => ({
      what: `${name} ${what}`,
      input: { ...base, [name]: value },
    }))
  );
  return inTurns(lists).filter(({ input }) => isValid(input));
}

function boundaryValues(name: string, part: Schema, root: Schema): { what: string; value: unknown }[] {
  const type = typesOf(part).find((candidate) => candidate !== "null");
  if (enumOf(part, root).length > 0 || Object.hasOwn(part, "const")) return [];
  switch (type) {
    case "integer":
    case "number": {
      const values = boundaryNumbers(part, type === "integer");
      const kept = isDuration(name) ? values.filter((value) => value <= 1) : values;
      return kept.map((value) => ({ what: `= ${value}`, value }));
    }
    case "string":
      return boundaryTexts(name, part, root);
    case "array":
      return boundaryLists(name, part, root);
    case "boolean":
      return [{ what: "= false", value: false }];
    default:
      return [];
  }
}

const plainly: SampleOptions = { properties: "required", prefer: "examples", branch: 0 };

function boundaryTexts(name: string, part: Schema, root: Schema): { what: string; value: unknown }[] {
  const { minLength = 0, maxLength } = part;
  const text = samplePart(part, root, plainly, name);
  const filler = typeof text === "string" ? text : "example";
  const shortest = minLength === 0
    ? [{ what: "empty", value: "" }]
    : [{ what: `of ${minLength} characters`, value: fitLength(filler, { minLength, maxLength: minLength }) }];
  if (maxLength === undefined || maxLength > 4096 || maxLength === minLength) return shortest;
  const value = fitLength(filler, { minLength: maxLength, maxLength });
  return [...shortest, { what: `of ${maxLength} characters`, value }];
}

function boundaryLists(name: string, part: Schema, root: Schema): { what: string; value: unknown }[] {
  const sizes = [part.minItems ?? 0, part.maxItems ?? 0].filter((size) => size <= 100);
  return [...new Set(sizes)].flatMap((size) => {
    const value = size === 0 ? [] : samplePart({ ...part, minItems: size, maxItems: size }, root, {
      ...plainly,
      prefer: "none",
    }, name);
    return Array.isArray(value) && value.length === size
      ? [{ what: size === 0 ? "empty" : `of ${size} elements`, value }]
      : [];
  });
}

/** Inputs that break the schema in one way each, the gravest breach first. */
export function invalidInputs(schema: Schema, base: Input, isValid: IsValid): InvalidInput[] {
  const all = parts(schema);
  const required = all.filter((part) => part.required);
  const optional = all.filter((part) => !part.required);
  const lists: InvalidInput[][] = [
    required.flatMap((part) => missing(part, base)),
    required.flatMap((part) => wrongType(part, base, "wrong_type")),
    all.flatMap((part) => outside(part, base, schema)),
    required.map(({ name }) => ({
      what: `null ${name}`,
      breach: "null_required",
      input: { ...base, [name]: null },
    })),
    [{ what: "an extra property", breach: "extra_property", input: { ...base, pth_extra_property: 1 } }],
    optional.flatMap((part) => wrongType(part, base, "optional_type")),
  ];
  return inTurns(lists).filter(({ input }) => !isValid(input));
}

/** A property with a default is often called required by schema writers, and is not. */
function missing({ name, part }: Part, base: Input): InvalidInput[] {
  const { [name]: _left, ...others } = base;
  return Object.hasOwn(part, "default")
    ? []
    : [{ what: `missing ${name}`, breach: "missing_required", input: others }];
}

/** Values that no lenient reading turns into the right type; numbers in quotes are not among them. */
function wrongType({ name, part }: Part, base: Input, breach: Breach): InvalidInput[] {
  const type = typesOf(part).find((candidate) => candidate !== "null");
  if (type === undefined) return [];
  const article = /^[aio]/.test(type) ? "an" : "a";
  const value = type === "string" ? { not: "a text" } : `not ${article} ${type}`;
  return [{ what: `wrong type for ${name}`, breach, input: { ...base, [name]: value } }];
}

function outside({ name, part }: Part, base: Input, root: Schema): InvalidInput[] {
  const put = (what: string, breach: Breach, value: unknown): InvalidInput => ({
    what: `${name} ${what}`,
    breach,
    input: { ...base, [name]: value },
  });
  const members = enumOf(part, root);
  if (members.length > 0) {
    return members.every((member) => typeof member === "string")
      ? [put("outside its enum", "enum", "pth-not-a-member")]
      : [];
  }
  const type = typesOf(part).find((candidate) => candidate !== "null");
  if (type === "integer" || type === "number") {
    const { below, above } = numbersOutside(part);
    return [
      ...(below === undefined ? [] : [put("below its minimum", "range", below)]),
      ...(above === undefined || isDuration(name) ? [] : [put("above its maximum", "range", above)]),
    ];
  }
  return type === "string" ? textsOutside(put, part) : [];
}

function textsOutside(
  put: (what: string, breach: Breach, value: unknown) => InvalidInput,
  part: Schema,
): InvalidInput[] {
  const { minLength = 0, maxLength, pattern, format } = part;
  const found: InvalidInput[] = [];
  const broken = pattern === undefined ? undefined : breakPattern(pattern, part);
  if (broken !== undefined) found.push(put("that breaks its pattern", "pattern", broken));
  if (format !== undefined && pattern === undefined) {
    found.push(put(`that is no ${format}`, "pattern", fitLength("not a ~ valid ~ value", part)));
  }
  if (minLength > 0 && minLength <= 4096) {
    found.push(put("that is too short", "range", "x".repeat(minLength - 1)));
  }
  if (maxLength !== undefined && maxLength <= 4096) {
    found.push(put("that is too long", "range", "x".repeat(maxLength + 1)));
  }
  return found;
}

/** The first of each list, then the second of each …, so that a limit cuts all lists alike. */
export function inTurns<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list.slice(index, index + 1)))
    .flat();
}
