/**
 * Tests from the plugin's source: inputs that surely end in an error branch, and
 * scenarios of tools that look up what another one made.
 */
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import type { TestCase, TestStep } from "../../../machines/model/test_case.ts";
import { isObject } from "../../core/values.ts";
import { escapeInput, escapeStepInput } from "../generate/escape_input.ts";
import { defineGenerator } from "../generator.ts";
import { callableTools } from "../generate/excluded_tools.ts";
import { assignIds } from "../format/ids.ts";
import { exampleInput } from "../json_schema/example_input.ts";
import type { GeneratedInput } from "../json_schema/schema_properties.ts";
import { asSchema } from "../json_schema/schema.ts";
import { type ChainLink, chainsOf, type PropertyChain, type ToolFacts } from "../source_analysis/chains.ts";
import type { ErrorBranch } from "../source_analysis/error_branches.ts";
import type { FoundHandler } from "../source_analysis/handlers.ts";
import type { SourceIndex } from "../source_analysis/source_index.ts";

export default defineGenerator({
  name: "source_analysis",
  summary:
    "Inputs that reach error branches of the plugin's source, and scenarios of tools that need each other",
  async generate({ tools, sources }, options) {
    const [{ findHandlers }, { indexSources }] = await Promise.all([
      import("../source_analysis/handlers.ts"),
      import("../source_analysis/source_index.ts"),
    ]);
    const callable = callableTools(tools, options);
    const handlers = await findHandlers(sources, callable.map(({ name }) => name));
    const index = await indexSources(sources);
    const facts: ToolFacts[] = [];
    for (const tool of callable) {
      const handler = handlers.find((each) => each.tool === tool.name);
      const known = handler && await factsOf(tool, handler, index);
      if (known) facts.push(known);
    }
    const tests = [
      ...facts.flatMap(({ handler, branches }) => branches.map((branch) => errorTest(handler.tool, branch))),
      ...chainsOf(facts).map(scenario),
    ];
    return { tests: assignIds(tests), findings: [], heldBack: [] };
  },
});

async function factsOf(
  tool: ToolDefinition,
  handler: FoundHandler,
  index: SourceIndex,
): Promise<ToolFacts | undefined> {
  const [{ errorBranches }, { stateUse }] = await Promise.all([
    import("../source_analysis/error_branches.ts"),
    import("../source_analysis/state_use.ts"),
  ]);
  const example = exampleInput(tool);
  if (!example) return undefined;
  const { schema, input, isValid } = example;
  const properties = asSchema(schema.properties);
  return {
    handler,
    use: stateUse(handler, index),
    branches: errorBranches(handler, properties, input, isValid, index),
    input,
    required: Array.isArray(schema.required) ? schema.required : [],
    properties: Object.keys(properties),
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

const placeOf = ({ failure: { path, line } }: ErrorBranch): string => `${path}:${line}`;

/** `src/server.ts:40: throws "not found" when !notes.has(id)`. */
function originOf(branch: ErrorBranch): string {
  const { how, part, condition } = branch.failure;
  const when = condition === undefined ? branch.because : condition.slice(0, 120);
  return `${placeOf(branch)}: ${how} "${part}" when ${when}`;
}

const refusal = ({ failure, inItsWords }: ErrorBranch): TestCase["expect"] =>
  inItsWords ? { success: false, error_contains: failure.part } : { success: false };

function errorTest(tool: string, branch: ErrorBranch): TestCase {
  return {
    ...common,
    name: `${tool} - ${
      branch.inItsWords ? `answers "${branch.failure.part}"` : "refuses"
    } when ${branch.because}`,
    tier: 1,
    tool,
    input: escapeInput(branch.input),
    expect: refusal(branch),
    tags: ["generated", "error"],
    origin: originOf(branch),
  };
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
    ...(remover && readers[0] ? [gone(readers[0], input(readers[0]))] : []),
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

/** What was removed is looked up once more. */
const gone = ({ facts, missing }: ChainLink, input: GeneratedInput): TestStep =>
  step(facts.handler.tool, input, refusal(missing));

function step(tool: string, input: GeneratedInput, expect: Record<string, unknown>): TestStep {
  return { action: { kind: "call", tool, input }, expect, capture: {}, verify: [] };
}
