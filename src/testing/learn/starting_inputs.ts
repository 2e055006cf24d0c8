/** Inputs that a search begins with, for each tool that may be called. */
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import { createBreather } from "../../core/waiting.ts";
import { validatorFor } from "../../client/schema_problems.ts";
import { inTime } from "../json_schema/in_time.ts";
import { filesMade, type InputHints } from "../json_schema/path_values.ts";
import type { Schema } from "../json_schema/schema.ts";
import type { GeneratedInput, IsValid } from "../json_schema/schema_properties.ts";
import { quickInput, validInputs } from "../json_schema/valid_inputs.ts";

export interface StartingInputs {
  tool: ToolDefinition;
  schema: Schema;
  /** Bounded in time; false where that ran out. */
  isValid: IsValid;
  first: GeneratedInput;
  /** With all properties. */
  full: GeneratedInput;
  others: GeneratedInput[];
}

/** Tools whose schemas may run out of time before all others are left alone. */
const mostSlow = 3;

/** Tools for which no input could be made are left out. @throws the signal's reason */
export async function startingInputs(
  tools: readonly ToolDefinition[],
  hints: InputHints,
  signal: AbortSignal,
): Promise<StartingInputs[]> {
  const found: StartingInputs[] = [];
  const made = new Map<string, string>();
  const breathe = createBreather();
  let slow = 0;
  for (const tool of tools) {
    if (slow >= mostSlow) break;
    await breathe();
    signal.throwIfAborted();
    const validate = validatorFor(tool.inputSchema);
    if (validate === undefined) continue;
    const schema = tool.inputSchema as Schema;
    const isValid = (input: unknown): boolean => validate(input).length === 0;
    const { result, problem } = inTime(schema, () => {
      const valid = validInputs(schema, isValid, { ...hints, tool, made });
      return valid.map(({ what, input }) => ({ what, input: quickInput(schema, input, isValid) }));
    });
    if (problem !== undefined) slow++;
    const [first] = result ?? [];
    if (result === undefined || first === undefined) continue;
    for (const [name, path] of filesMade(tool.name, first.input)) made.set(name, path);
    const full = result.find(({ what }) => what === "all properties") ?? first;
    found.push({
      tool,
      schema,
      isValid: (input) => inTime(schema, () => isValid(input)).result === true,
      first: first.input,
      full: full.input,
      others: result.slice(1).map(({ input }) => input),
    });
  }
  return found;
}
