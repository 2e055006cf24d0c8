/** Chooses the tools to measure and their inputs. */
import type { PerformancePlan, PerformanceRequest } from "../../machines/model/performance.ts";
import type { ToolDefinition } from "../../machines/model/plugin.ts";
import { validatorFor } from "../client/schema_problems.ts";
import { PthError } from "../core/errors.ts";
import { exclusionReason } from "../testing/generate/excluded_tools.ts";
import { inTime } from "../testing/json_schema/in_time.ts";
import { asSchema } from "../testing/json_schema/schema.ts";
import { quickInput, validInputs } from "../testing/json_schema/valid_inputs.ts";

const defaultCalls = 20;
/** Inputs of one tool that are tried until one is accepted. */
const mostInputs = 4;

/**
 * @param known inputs from tests that passed, by tool
 * @throws {PthError} `NO_SUCH_TOOL`
 */
export function planMeasurements(
  tools: readonly ToolDefinition[],
  known: ReadonlyMap<string, Record<string, unknown>>,
  { tools: asked, calls = defaultCalls, includeHeldBack = false }: PerformanceRequest,
): PerformancePlan {
  const missing = asked?.filter((name) => !tools.some((tool) => tool.name === name)) ?? [];
  if (missing.length > 0) {
    throw new PthError(
      "NO_SUCH_TOOL",
      `Cannot measure ${missing.join(", ")}: the plugin lists no such tool`,
      {
        next: [`Choose among: ${tools.map(({ name }) => name).join(", ")}`],
      },
    );
  }
  const plan: PerformancePlan = { tools: [], unmeasured: [] };
  for (const tool of tools.filter(({ name }) => asked?.includes(name) ?? true)) {
    // Who names a tool, wants it.
    const reason = includeHeldBack || asked !== undefined ? undefined : exclusionReason(tool);
    if (reason !== undefined) plan.unmeasured.push({ tool: tool.name, reason: `held back: ${reason}` });
    else {
      const { result, problem } = inTime(tool.inputSchema, () => inputsOf(tool, known.get(tool.name)));
      if (problem === undefined) plan.tools.push({ tool: tool.name, calls, inputs: result });
      else plan.unmeasured.push({ tool: tool.name, reason: `its inputSchema does not end: ${problem}` });
    }
  }
  return plan;
}

function inputsOf({ inputSchema }: ToolDefinition, known: Record<string, unknown> | undefined) {
  const schema = asSchema(inputSchema);
  const validate = validatorFor(inputSchema);
  const isValid = (input: unknown) => validate !== undefined && validate(input).length === 0;
  const generated = validInputs(schema, isValid).map(({ input }) => quickInput(schema, input, isValid));
  return [...(known === undefined ? [] : [known]), ...generated].slice(0, mostInputs);
}
