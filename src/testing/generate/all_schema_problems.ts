/** Finds input schemas that compile, but for which inputs cannot be made in reasonable time. */
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import { createBreather } from "../../core/waiting.ts";
import { type SchemaProblem, schemaProblems, validatorFor } from "../../client/schema_problems.ts";
import { isObject } from "../../core/values.ts";
import { inputsInTime } from "../json_schema/inputs_in_time.ts";
import type { Schema } from "../json_schema/schema.ts";
import { validInputs } from "../json_schema/valid_inputs.ts";

/** Tools that are looked at, and of those how many may run out of time before the others are left alone. */
const mostTools = 1000;
const mostSlow = 3;

/** All problems of the tools' schemas: those that do not compile, and those for which inputs cannot be made in time. */
export async function allSchemaProblems(tools: readonly ToolDefinition[]): Promise<SchemaProblem[]> {
  const problems = await schemaProblems(tools);
  const known = new Set(problems.map(({ tool }) => tool));
  const breathe = createBreather();
  let slow = 0;
  for (const { name, inputSchema } of tools.slice(0, mostTools)) {
    if (known.has(name) || !isObject(inputSchema) || slow >= mostSlow) continue;
    await breathe();
    const validate = validatorFor(inputSchema);
    const make = () => validInputs(inputSchema as Schema, (input) => validate?.(input).length === 0);
    const { problem } = inputsInTime("problems", inputSchema, make);
    if (problem === undefined) continue;
    slow++;
    problems.push({ tool: name, which: "inputSchema", message: problem });
  }
  return problems;
}
