/** Inputs for one tool: most of them obey its schema, the others break it in one way each. */
import fc from "fast-check";
import { validatorFor } from "../../../client/schema_problems.ts";
import { isObject } from "../../../core/values.ts";
import { inTime } from "../../json_schema/example_input.ts";
import { invalidInputs } from "../../json_schema/invalid_inputs.ts";
import type { GeneratedInput, ProposedInput } from "../../json_schema/schema_properties.ts";
import type { Schema } from "../../json_schema/schema.ts";
import { validInputs } from "../../json_schema/valid_inputs.ts";
import { wrongKinds } from "./wrong_kinds.ts";
import { valueArbitrary } from "./values.ts";

export interface FuzzInput {
  input: GeneratedInput;
  /** How it breaks the schema ("missing text"); absent for one that the schema allows. */
  breach?: string;
}

export interface ToolInputs {
  valid: fc.Arbitrary<FuzzInput>;
  invalid: fc.Arbitrary<FuzzInput>;
  /** Three valid ones to an invalid one. */
  all: fc.Arbitrary<FuzzInput>;
  /** The plainest valid input. */
  plain: GeneratedInput;
}

export interface InputOptions {
  /** Also texts that may reach out of the working folder; only where the environment holds what they do. */
  reaching: boolean;
}

/** What JSON makes of it: no `-0`, no undefined. */
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
  const invalid = fc.tuple(inputs, fc.nat(9_999)).map(([base, choice]): FuzzInput => {
    const all = [...invalidInputs(schema, base, isValid), ...wrongKinds(schema, base, isValid)];
    const chosen = all[choice % all.length];
    return chosen === undefined ? { input: base } : { input: chosen.input, breach: chosen.what };
  });
  return { valid, invalid, all: fc.oneof({ weight: 3, arbitrary: valid }, invalid), plain: plain.input };
}
