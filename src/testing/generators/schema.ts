/**
 * Tests from the schemas that `tools/list` gives (PTH design §5.3, "Tool schemas").
 *
 * They expect only what holds for every honest server (docs/test-format.md, "Generated tests"): never an output, never
 * that a valid input succeeds.
 */
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import type { Finding } from "../../../machines/model/test_result.ts";
import { schemaProblems, validatorFor } from "../../client/tool_schemas.ts";
import type { GeneratedTests, GenerateOptions } from "../../harness.ts";
import { registry as checks } from "../checks/_registry.ts";
import { defineGenerator } from "../generator.ts";
import { callableTools, heldBackTools, readableTools } from "../held_back.ts";
import { assignIds } from "../ids.ts";
import { escapeInput } from "../escape_input.ts";
import { boundaryInputs } from "../json_schema/boundary_inputs.ts";
import { invalidInputs } from "../json_schema/invalid_inputs.ts";
import type { Input, ProposedInput } from "../json_schema/parts.ts";
import { quickInput, validInputs } from "../json_schema/valid_inputs.ts";
import { type Schema } from "../json_schema/schema.ts";
import { lintTools } from "../../contract/lint_tools.ts";
import missingDescription from "../../contract/lint/missing_description.ts";
import missingParameterDescription from "../../contract/lint/missing_parameter_description.ts";
import { isObject } from "../../values.ts";

/** Without a description nobody can complete a generated test; all other rules are `session.lint()`'s. */
const describing = [missingDescription, missingParameterDescription];

/** Most tests for one tool, and how many of each kind come before any kind gets more. */
const mostPerTool = 12;
const share = { valid: 4, boundary: 3, invalid: 5 };

/** Tests for all tools, checks of the server first. The same tools give the same tests, byte for byte once written. */
export function generateFromSchema(
  tools: readonly ToolDefinition[],
  options: GenerateOptions = {},
): GeneratedTests {
  const unique = readableTools(tools, options);
  const tests: TestCase[] = options.tools === undefined ? serverTests() : [];
  const findings: Finding[] = lintTools(unique, describing);
  const heldBack = heldBackTools(tools, options);
  for (const tool of callableTools(tools, options)) {
    const made = toolTests(tool);
    tests.push(...made.tests);
    findings.push(...made.findings);
  }
  return { tests: assignIds(tests), findings, heldBack };
}

export default defineGenerator({
  name: "schema",
  summary:
    "Valid, boundary and invalid inputs from each tool's JSON Schema, and checks of the server as a whole",
  generate: ({ tools }, options) => generateFromSchema(tools, options),
});

/** What all generated tests have in common. */
const common = {
  id: "",
  tier: 1,
  verify: [],
  setup: [],
  teardown: [],
  generatedFrom: "schema",
} satisfies Partial<TestCase>;

function serverTests(): TestCase[] {
  return checks.map((check) => ({
    ...common,
    name: `server - ${check.summary}`,
    check: check.name,
    expect: {},
    tags: ["generated", "server"],
  }));
}

function toolTests(tool: ToolDefinition): { tests: TestCase[]; findings: Finding[] } {
  const validate = validatorFor(tool.inputSchema);
  const broken = (code: string, severity: Finding["severity"], message: string) => ({
    tests: [],
    findings: [{ code, severity, tool: tool.name, message: `${tool.name} ${message}` }],
  });
  if (validate === undefined || !isObject(tool.inputSchema)) {
    const reason = schemaProblems([tool])[0]?.message ?? "it is no object";
    return broken(
      "schema-does-not-compile",
      "error",
      `gets no input tests: its inputSchema is invalid: ${reason}`,
    );
  }
  const schema = tool.inputSchema as Schema;
  const isValid = (input: unknown): boolean => validate(input).length === 0;
  const valid = validInputs(schema, isValid);
  if (valid[0] === undefined) {
    return broken(
      "no-example-input",
      "info",
      "gets no input tests: no input was found that its schema allows",
    );
  }
  const base = quickInput(schema, valid[0].input, isValid);
  const known = new Set(valid.map(({ input }) => JSON.stringify(input)));
  const boundary = boundaryInputs(schema, base, isValid).filter(({ input }) => isNew(known, input));
  const invalid = invalidInputs(schema, base, isValid).filter(({ input }) => isNew(known, input));
  const wellBehaved = (kind: string) => ({ what, input }: ProposedInput): TestCase =>
    inputTest(tool.name, `${kind}, ${what}`, kind, input, { well_behaved: true });
  return {
    tests: bounded({
      valid: valid.map(wellBehaved("valid")),
      boundary: boundary.map(wellBehaved("boundary")),
      invalid: invalid.map(({ what, breach, input }) => ({
        ...inputTest(tool.name, `refuses ${what}`, "invalid", input, { refuses: breach }),
        control: { input: escapeInput(base) },
      })),
    }),
    findings: [],
  };
}

/** True the first time an input is seen. */
function isNew(known: Set<string>, input: Input): boolean {
  const text = JSON.stringify(input);
  return !known.has(text) && known.add(text) !== undefined;
}

function inputTest(
  tool: string,
  what: string,
  tag: string,
  input: Input,
  expect: Record<string, unknown>,
): TestCase {
  return {
    ...common,
    name: `${tool} - ${what}`,
    tool,
    input: escapeInput(input),
    expect,
    tags: ["generated", tag],
  };
}

/** Each kind's share, and what one kind leaves free goes to the others, valid inputs first. */
function bounded(kinds: Record<keyof typeof share, TestCase[]>): TestCase[] {
  const names = Object.keys(share) as (keyof typeof share)[];
  const counts = { ...share };
  for (const name of names) counts[name] = Math.min(share[name], kinds[name].length);
  let free = mostPerTool - names.reduce((sum, name) => sum + counts[name], 0);
  for (const name of names) {
    const more = Math.min(free, kinds[name].length - counts[name]);
    counts[name] += more;
    free -= more;
  }
  return names.flatMap((name) => kinds[name].slice(0, counts[name]));
}
