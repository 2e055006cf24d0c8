/** Inputs that a tool's schema forbids. */
import type { SchemaViolation } from "../assertions/refuses.ts";
import { numbersOutside } from "./numbers.ts";
import { type Schema, typesOf } from "./schema.ts";
import {
  enumOf,
  type GeneratedInput,
  isDuration,
  type IsValid,
  type ProposedInput,
  roundRobin,
  schemaProperties,
  type SchemaProperty,
} from "./schema_properties.ts";
import { breakPattern, fitLength } from "./strings.ts";

interface InvalidInput extends ProposedInput {
  breach: SchemaViolation;
}

/** Inputs that break the schema in one way each, the gravest first. */
export function invalidInputs(schema: Schema, base: GeneratedInput, isValid: IsValid): InvalidInput[] {
  const all = schemaProperties(schema);
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
  return roundRobin(lists).filter(({ input }) => !isValid(input));
}

/** A property with a default is often called required by schema writers, and is not. */
function missing({ name, part }: SchemaProperty, base: GeneratedInput): InvalidInput[] {
  const { [name]: _left, ...others } = base;
  return Object.hasOwn(part, "default")
    ? []
    : [{ what: `missing ${name}`, breach: "missing_required", input: others }];
}

/** Values that no lenient reading turns into the right type; numbers in quotes are not among them. */
function wrongType(
  { name, part }: SchemaProperty,
  base: GeneratedInput,
  breach: SchemaViolation,
): InvalidInput[] {
  const type = typesOf(part).find((candidate) => candidate !== "null");
  if (type === undefined) return [];
  const article = /^[aio]/.test(type) ? "an" : "a";
  const value = type === "string" ? { not: "a text" } : `not ${article} ${type}`;
  return [{ what: `wrong type for ${name}`, breach, input: { ...base, [name]: value } }];
}

function outside({ name, part }: SchemaProperty, base: GeneratedInput, root: Schema): InvalidInput[] {
  const put = (what: string, breach: SchemaViolation, value: unknown): InvalidInput => ({
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
  put: (what: string, breach: SchemaViolation, value: unknown) => InvalidInput,
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
