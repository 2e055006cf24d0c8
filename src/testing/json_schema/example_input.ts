/** A tool's input as generated tests make it: one that its schema allows, likely to work. */
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import { validatorFor } from "../../client/schema_problems.ts";
import { isObject } from "../../core/values.ts";
import { inputsInTime } from "./inputs_in_time.ts";
import type { Schema } from "./schema.ts";
import type { GeneratedInput, IsValid } from "./schema_properties.ts";
import { quickInput, validInputs } from "./valid_inputs.ts";

interface ExampleInput {
  schema: Schema;
  isValid: IsValid;
  input: GeneratedInput;
}

const known = new WeakMap<ToolDefinition, ExampleInput | undefined>();

/** Undefined where the schema is broken, or allows nothing that could be made in time. */
export function exampleInput(tool: ToolDefinition): ExampleInput | undefined {
  if (!known.has(tool)) {
    known.set(tool, inputsInTime("example", tool.inputSchema, () => makeExample(tool)).result);
  }
  return known.get(tool);
}

function makeExample(tool: ToolDefinition): ExampleInput | undefined {
  const { inputSchema } = tool;
  const validate = validatorFor(inputSchema);
  if (validate === undefined || !isObject(inputSchema)) return undefined;
  const schema = inputSchema as Schema;
  const isValid = (input: unknown): boolean => validate(input).length === 0;
  const first = validInputs(schema, isValid, { tool })[0];
  return first && { schema, isValid, input: quickInput(schema, first.input, isValid) };
}
