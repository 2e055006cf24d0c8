/** A tool's input as generated tests make it: one that its schema allows, likely to work. */
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import { validatorFor } from "../../client/tool_schemas.ts";
import { isObject } from "../../values.ts";
import type { Input, IsValid } from "./parts.ts";
import type { Schema } from "./schema.ts";
import { quickInput, validInputs } from "./valid_inputs.ts";

export interface ExampleInput {
  schema: Schema;
  isValid: IsValid;
  input: Input;
}

const known = new WeakMap<ToolDefinition, ExampleInput | undefined>();

/** Undefined where the schema is broken, or allows nothing that could be made. */
export function exampleInput(tool: ToolDefinition): ExampleInput | undefined {
  if (!known.has(tool)) known.set(tool, makeExample(tool));
  return known.get(tool);
}

function makeExample({ inputSchema }: ToolDefinition): ExampleInput | undefined {
  const validate = validatorFor(inputSchema);
  if (validate === undefined || !isObject(inputSchema)) return undefined;
  const schema = inputSchema as Schema;
  const isValid = (input: unknown): boolean => validate(input).length === 0;
  const first = validInputs(schema, isValid)[0];
  return first && { schema, isValid, input: quickInput(schema, first.input, isValid) };
}
