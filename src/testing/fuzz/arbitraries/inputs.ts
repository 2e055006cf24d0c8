/** Inputs for one tool: most obey its schema, the others break it at one place, also with a value of another kind. */
import fc from "fast-check";
import { validatorFor } from "../../../client/schema_problems.ts";
import { isObject } from "../../../core/values.ts";
import { inTime } from "../../json_schema/in_time.ts";
import { invalidInputs } from "../../json_schema/invalid_inputs.ts";
import type { SchemaViolation } from "../../assertions/refuses.ts";
import type { Schema } from "../../json_schema/schema.ts";
import type { GeneratedInput, IsValid, ProposedInput } from "../../json_schema/schema_properties.ts";
import { validInputs } from "../../json_schema/valid_inputs.ts";
import { valueArbitrary } from "./values.ts";

export interface FuzzInput {
  input: GeneratedInput;
  /** Description of how the input breaks the schema ("missing text"); absent for valid input. */
  breach?: string;
  /** Kind of the violation, where no lenient reading of the input explains it. */
  violation?: SchemaViolation;
}

export interface ToolInputs {
  valid: fc.Arbitrary<FuzzInput>;
  invalid: fc.Arbitrary<FuzzInput>;
  /** Three valid ones to an invalid one. */
  all: fc.Arbitrary<FuzzInput>;
  /** The plainest valid input. */
  plain: GeneratedInput;
  /** The plainest inputs that the schema forbids, the gravest first. */
  forbidden: readonly FuzzInput[];
  /** False for what the schema forbids, and where that takes too long to know. */
  isValid: IsValid;
}

export interface InputOptions {
  /** True if texts may reach out of the working folder; only where the environment isolates their effects. */
  reaching: boolean;
}

/** Passes a value through JSON, which has no `-0` and no undefined. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Undefined for a schema that does not compile, or of which no valid input is found in time. */
export function toolInputs(inputSchema: unknown, options: InputOptions): ToolInputs | undefined {
  if (inTime(inputSchema, () => plainInput(inputSchema)).result === undefined) return undefined;
  return inTime(inputSchema, () => arbitraries(inputSchema, options), buildLimitMs).result;
}

/** To read the patterns of one tool, in ms: a single class of Unicode letters takes nearly a second. */
const buildLimitMs = 5_000;

function plainInput(inputSchema: unknown): ProposedInput | undefined {
  const validate = validatorFor(inputSchema);
  if (validate === undefined || !isObject(inputSchema)) return undefined;
  return validInputs(inputSchema as Schema, (input) => validate(input).length === 0)[0];
}

function arbitraries(inputSchema: unknown, options: InputOptions): ToolInputs | undefined {
  const validate = validatorFor(inputSchema);
  if (validate === undefined || !isObject(inputSchema)) return undefined;
  const schema = inputSchema as Schema;
  const isValid = (input: unknown): boolean => validate(input).length === 0;
  const [plain] = validInputs(schema, isValid);
  if (plain === undefined) return undefined;
  // Keywords that no arbitrary follows (dependentRequired, not …) leave some that are not valid: the plain one stands in.
  const inputs = valueArbitrary(schema, { ...options, root: schema, name: "", depth: 0, refs: [] })
    .map(asJson)
    .map((value) => isObject(value) && isValid(value) ? value : plain.input);
  const valid = inputs.map((input): FuzzInput => ({ input }));
  const forbidden = (base: GeneratedInput): FuzzInput[] => [
    ...invalidInputs(schema, base, isValid).map(({ what, breach, input }) => ({
      ...{ input, breach: what, violation: breach },
    })),
    ...wrongKinds(schema, base, isValid).map(({ what, input }) => ({ input, breach: what })),
  ];
  const invalid = fc.tuple(inputs, fc.nat(9_999)).map(([base, choice]): FuzzInput => {
    const all = forbidden(base);
    return all[choice % all.length] ?? { input: base };
  });
  return {
    ...{ valid, invalid, all: fc.oneof({ weight: 3, arbitrary: valid }, invalid), plain: plain.input },
    forbidden: [...withoutAny(schema, isValid), ...forbidden(plain.input)],
    isValid: (input) => inTime(inputSchema, () => isValid(input)).result ?? false,
  };
}

/** No property at all, where one is required. */
const withoutAny = (schema: Schema, isValid: IsValid): FuzzInput[] =>
  isValid({}) || !Array.isArray(schema.required) || schema.required.length === 0
    ? []
    : [{ input: {}, breach: `missing ${schema.required.join(", ")}`, violation: "missing_required" }];

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
function wrongKinds(schema: Schema, base: GeneratedInput, isValid: IsValid): ProposedInput[] {
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
