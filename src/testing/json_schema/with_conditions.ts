/** Properties that an input needs since a condition of its schema holds: `if`, `dependentSchemas`, `dependencies`. */
import { validatorFor } from "../../client/schema_problems.ts";
import { isObject } from "../../core/values.ts";
import { flattenSchema } from "./flatten_schema.ts";
import { noSample, type SampleOptions, sampleValue } from "./sample_value.ts";
import { asSchema, type Schema } from "./schema.ts";
import type { GeneratedInput } from "./schema_properties.ts";

/** Conditions that are looked at, and rounds: what one adds may fulfil another. */
const mostConditions = 30;
const mostRounds = 3;

/** The input with what the conditions that it fulfils require; itself where there is none. */
export function withConditions(
  schema: Schema,
  input: GeneratedInput,
  options: SampleOptions,
): GeneratedInput {
  const conditions = conditionsOf(schema).slice(0, mostConditions);
  if (conditions.length === 0) return input;
  let complete = input;
  for (let round = 0; round < mostRounds; round++) {
    const before = complete;
    for (const condition of conditions) {
      const part = condition(complete);
      if (part !== undefined) complete = withPart(schema, complete, part, options);
    }
    if (complete === before) break;
  }
  return complete;
}

/** Schema that an input has to obey as well, if a condition says so. */
type Condition = (input: GeneratedInput) => Schema | undefined;

function conditionsOf(schema: Schema, depth = 0): Condition[] {
  const { if: premise, then, else: otherwise, dependentSchemas, dependencies } = schema;
  const found: Condition[] = [];
  if (premise !== undefined) {
    const holds = validatorFor(withDefinitions(premise, schema));
    found.push((input) => {
      const part = holds?.(input).length === 0 ? then : otherwise;
      return part === undefined ? undefined : asSchema(part);
    });
  }
  for (const [name, part] of [...entries(dependentSchemas), ...entries(dependencies)]) {
    const wanted: Schema = Array.isArray(part) ? { required: part as string[] } : asSchema(part);
    found.push((input) => Object.hasOwn(input, name) ? wanted : undefined);
  }
  const parts = depth < 3 && Array.isArray(schema.allOf) ? schema.allOf : [];
  return [...found, ...parts.flatMap((part) => conditionsOf(asSchema(part), depth + 1))];
}

const entries = (value: unknown): [string, unknown][] => isObject(value) ? Object.entries(value) : [];

const withDefinitions = (part: unknown, { $defs, definitions }: Schema): unknown =>
  isObject(part)
    ? {
      ...$defs === undefined ? {} : { $defs },
      ...definitions === undefined ? {} : { definitions },
      ...part,
    }
    : part;

/** The input with the properties of the part that it lacks, and with the values that the part demands. */
function withPart(
  schema: Schema,
  input: GeneratedInput,
  part: Schema,
  options: SampleOptions,
): GeneratedInput {
  const { if: _if, then: _then, else: _else, allOf: _allOf, ...plain } = schema;
  const flat = flattenSchema(part, schema);
  const required = Array.isArray(flat.required) ? flat.required : [];
  const lacking = required.filter((name) => !Object.hasOwn(input, name));
  if (lacking.length === 0) return input;
  const both = { ...flattenSchema({ allOf: [plain, flat] }, schema), required: lacking };
  const sample = sampleValue(both, { ...options, properties: "required" });
  return sample === noSample || !isObject(sample) ? input : { ...input, ...without(sample, input) };
}

const without = (sample: GeneratedInput, input: GeneratedInput): GeneratedInput =>
  Object.fromEntries(Object.entries(sample).filter(([name]) => !Object.hasOwn(input, name)));
