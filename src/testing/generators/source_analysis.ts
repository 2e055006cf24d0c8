/**
 * Tests from the plugin's source: values that its conditions compare inputs with, and scenarios of tools that share
 * state.
 */
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import type { TestCase, TestStep } from "../../../machines/model/test_case.ts";
import { isObject } from "../../core/values.ts";
import { escapeInput, escapeStepInput } from "../format/interpolate.ts";
import { defineGenerator } from "../generator.ts";
import { callableTools } from "../generate/excluded_tools.ts";
import { assignIds } from "../format/ids.ts";
import { exampleInput } from "../json_schema/example_input.ts";
import { asSchema } from "../json_schema/schema.ts";
import type { GeneratedInput, IsValid } from "../json_schema/schema_properties.ts";
import { type ChainLink, chainsOf, type PropertyChain, type ToolFacts } from "../source_analysis/chains.ts";
import type { ComparedValue } from "../source_analysis/compared_values.ts";
import type { FoundHandler } from "../source_analysis/handlers.ts";
import type { SourceIndex } from "../source_analysis/source_index.ts";

export default defineGenerator({
  name: "source_analysis",
  summary:
    "Values that conditions in the plugin's source compare inputs with, and scenarios of tools that share state",
  async generate({ tools, sources }, options) {
    const [{ findHandlers }, { indexSources }] = await Promise.all([
      import("../source_analysis/handlers.ts"),
      import("../source_analysis/source_index.ts"),
    ]);
    const callable = callableTools(tools, options);
    const handlers = await findHandlers(sources, callable.map(({ name }) => name));
    const index = await indexSources(sources);
    const facts: (ToolFacts & ComparedTool)[] = [];
    for (const tool of callable) {
      const handler = handlers.find((each) => each.tool === tool.name);
      const known = handler && await factsOf(tool, handler, index);
      if (known) facts.push(known);
    }
    const tests = [...facts.flatMap(comparisonTests), ...chainsOf(facts).map(scenario)];
    return { tests: assignIds(tests), findings: [], heldBack: [] };
  },
});

/** Inputs for one tool at most. */
const mostValues = 20;

interface ComparedTool {
  tool: string;
  /** A valid input, of which one parameter is changed. */
  input: GeneratedInput;
  isValid: IsValid;
  compared: readonly ComparedValue[];
}

async function factsOf(
  tool: ToolDefinition,
  handler: FoundHandler,
  index: SourceIndex,
): Promise<ToolFacts & ComparedTool | undefined> {
  const [{ comparedValues }, { stateUse }] = await Promise.all([
    import("../source_analysis/compared_values.ts"),
    import("../source_analysis/chains.ts"),
  ]);
  const example = exampleInput(tool);
  if (!example) return undefined;
  const { schema, input, isValid } = example;
  const properties = Object.keys(asSchema(schema.properties));
  return {
    tool: tool.name,
    handler,
    use: stateUse(handler, index),
    compared: comparedValues(handler, properties),
    input,
    isValid,
    required: Array.isArray(schema.required) ? schema.required : [],
    properties,
    promised: isObject(tool.outputSchema) ? Object.keys(asSchema(tool.outputSchema.properties)) : [],
  };
}

const common = {
  id: "",
  verify: [],
  setup: [],
  teardown: [],
  generatedFrom: "source_analysis",
} satisfies Partial<TestCase>;

const shownValue = (value: number | string): string =>
  typeof value === "string" && value.length > 40
    ? `a text of ${value.length} characters`
    : JSON.stringify(value);

/** Tests of the values that the source compares a parameter with, as far as the schema allows them. */
function comparisonTests({ tool, input, isValid, compared }: ComparedTool): TestCase[] {
  return compared.flatMap(({ parameter, value, path, line, condition }) => {
    const changed = { ...input, [parameter]: value };
    if (!isValid(changed)) return [];
    const is = `${parameter} is ${shownValue(value)}`;
    return [{
      ...common,
      name: `${tool} - ${is}`,
      tier: 1 as const,
      tool,
      input: escapeInput(changed),
      expect: { well_behaved: true },
      tags: ["generated", "boundary"],
      origin: `${path}:${line}: compares ${condition}; ${is}`,
    }];
  }).slice(0, mostValues);
}

const variable = "made";

function scenario({ maker, by, readers, removers }: PropertyChain): TestCase {
  const [remover] = removers;
  const input = ({ facts, parameter }: ChainLink): GeneratedInput => ({
    ...escapeStepInput(facts.input),
    ...("input" in by
      ? escapeStepInput({ [parameter]: maker.input[by.input] })
      : { [parameter]: `$${variable}` }),
  });
  const first = step(maker.handler.tool, escapeStepInput(maker.input), { well_behaved: true });
  const steps = [
    "output" in by ? { ...first, capture: { [variable]: `$.output.${by.output}` } } : first,
    ...readers.map((link) => step(link.facts.handler.tool, input(link), { success: true })),
    ...(remover ? [step(remover.facts.handler.tool, input(remover), { success: true })] : []),
    ...(remover && readers[0]
      ? [step(readers[0].facts.handler.tool, input(readers[0]), { well_behaved: true })]
      : []),
  ];
  const tools = [maker, ...[...readers, ...remover ? [remover] : []].map(({ facts }) => facts)].map((
    { handler },
  ) => handler);
  return {
    ...common,
    name: tools.map(({ tool }) => tool).join(", "),
    tier: 2,
    expect: {},
    steps,
    tags: ["generated", "scenario"],
    origin: `${maker.handler.path}:${maker.handler.line}: ${maker.handler.tool} keeps what ${
      tools.slice(1).map(({ tool }) => tool).join(" and ")
    } looks up`,
  };
}

function step(tool: string, input: GeneratedInput, expect: Record<string, unknown>): TestStep {
  return { action: { kind: "call", tool, input }, expect, capture: {}, verify: [] };
}
