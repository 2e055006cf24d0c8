/** Kinds of inputs that generators make, and the properties at the top of a schema. */
import { flattenSchema, schemaBranches } from "./flatten_schema.ts";
import { textWords } from "../../core/text.ts";
import { asSchema, type Schema, type SchemaNode, typesOf } from "./schema.ts";

export type GeneratedInput = Record<string, unknown>;

/** An input, and what is special about it as it reads in a test's name. */
export interface ProposedInput {
  what: string;
  input: GeneratedInput;
}

/** Says whether a whole input obeys the tool's schema. */
export type IsValid = (input: unknown) => boolean;

export interface SchemaProperty {
  name: string;
  /** Flattened; of a nullable alternative the part that is not null. */
  part: Schema;
  required: boolean;
}

/** Properties of one input that are varied; a tool gets a dozen tests. */
const mostParts = 200;

/** The first properties at the top of an input, as they are when there are no alternatives. */
export function schemaProperties(schema: Schema): SchemaProperty[] {
  const top = flattenSchema(schema, schema);
  const required = new Set(Array.isArray(top.required) ? top.required : []);
  return Object.entries(asSchema(top.properties)).slice(0, mostParts).map(([name, node]) => ({
    name,
    part: solePart(node as SchemaNode, schema),
    required: required.has(name),
  }));
}

/** Resolves `anyOf: [X, null]` to X for callers that look for limits; real alternatives have no common limits. */
function solePart(node: SchemaNode, root: Schema): Schema {
  const flat = flattenSchema(node, root);
  const options = schemaBranches(flat, root).filter((option) => typesOf(option).join() !== "null");
  if (options.length === 1) return options[0]!;
  const { type: _type, ...rest } = flat;
  return rest;
}

/** Members of an enum, also where they are written as alternatives with a `const` each. */
export function enumOf(part: Schema, root: Schema): unknown[] {
  if (Array.isArray(part.enum)) return part.enum.filter((member) => member !== null);
  const options = schemaBranches(part, root);
  const constants = options.filter((option) => Object.hasOwn(option, "const"));
  return options.length > 1 && constants.length === options.length
    ? constants.map((option) => option.const)
    : [];
}

/** Arguments by which a server sleeps or waits; their upper limits are left alone. */
export const isDuration = (name: string): boolean =>
  textWords(name).some((word) =>
    /^(?:duration|seconds?|secs?|ms|millis(?:econds)?|minutes?|hours?|timeout|delay|sleep|wait|interval|ttl)$/
      .test(word)
  );

/** The first of each list, then the second of each …, so that a limit cuts all lists alike. */
export function roundRobin<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list.slice(index, index + 1)))
    .flat();
}
