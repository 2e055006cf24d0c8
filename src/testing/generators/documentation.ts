/**
 * Tests from README and documents: examples of calls, and workflows of several.
 * An answer is expected only where the document shows it; what is shown otherwise only has to be well-behaved.
 */
import type { TestCase, TestStep } from "../../../machines/model/test_case.ts";
import { isObject, jsonIn } from "../../core/values.ts";
import type { Shapes, WrittenCall } from "../documents/calls.ts";
import type { DocumentedExample } from "../documents/examples.ts";
import { escapeInput, escapeStepInput } from "../format/interpolate.ts";
import { defineGenerator } from "../generator.ts";
import { callableTools } from "../generate/excluded_tools.ts";
import { assignIds } from "../format/ids.ts";
import { exampleInput } from "../json_schema/example_input.ts";
import { asSchema } from "../json_schema/schema.ts";

export default defineGenerator({
  name: "documentation",
  summary: "Examples and workflows of README and docs, with the answers that they show",
  async generate({ tools, documents }, options) {
    const [{ documentBlocks }, { examplesIn }] = await Promise.all([
      import("../documents/blocks.ts"),
      import("../documents/examples.ts"),
    ]);
    const shapes: Shapes = new Map(
      callableTools(tools, options).flatMap((tool) => {
        const example = exampleInput(tool);
        if (!example) return [];
        const { schema, isValid } = example;
        const required = Array.isArray(schema.required) ? schema.required as string[] : [];
        return [[tool.name, {
          name: tool.name,
          properties: Object.keys(asSchema(schema.properties)),
          required,
          isValid,
        }]];
      }),
    );
    const tests: TestCase[] = [];
    for (const { path, text } of await documents()) {
      const examples = examplesIn(await documentBlocks(text), shapes);
      tests.push(...examples.map((example) => testOf(example, path)));
    }
    return { tests: assignIds(tests), findings: [], heldBack: [] };
  },
});

const common = {
  id: "",
  verify: [],
  setup: [],
  teardown: [],
  generatedFrom: "documentation",
} satisfies Partial<TestCase>;

function testOf(example: DocumentedExample, path: string): TestCase {
  const { calls, line } = example;
  const place = `${path}:${line}`;
  const [first, ...more] = calls;
  if (more.length > 0) {
    return {
      ...common,
      name: `workflow of ${path}: ${titleOf(example)}`,
      tier: 2,
      expect: {},
      steps: calls.map(stepOf),
      tags: ["generated", "documentation", "scenario"],
      origin: `${place}: a workflow of ${calls.length} calls`,
    };
  }
  return {
    ...common,
    name: `${first!.tool} - example of ${path}: ${shortly(first!.input)}`,
    tier: 1,
    tool: first!.tool,
    input: escapeInput(first!.input),
    expect: expectationOf(example.answer),
    tags: ["generated", "documentation"],
    origin: `${place}: an example of ${first!.tool}${example.answer === undefined ? "" : " and its answer"}`,
  };
}

const titleOf = ({ title, calls }: DocumentedExample): string =>
  title?.replaceAll(/[`*]/g, "") ?? calls.map(({ tool }) => tool).join(", ");

const shortly = (input: Record<string, unknown>): string => {
  const text = JSON.stringify(input);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
};

const stepOf = ({ tool, input }: WrittenCall): TestStep => ({
  action: { kind: "call", tool, input: escapeStepInput(input) },
  expect: { well_behaved: true },
  capture: {},
  verify: [],
});

/** JSON is compared as such; a text that was cut short, or stands for something, is no answer to expect. */
function expectationOf(answer: string | undefined): Record<string, unknown> {
  const text = answer?.trim();
  if (text === undefined || text === "" || /\.\.\.|…|<[a-z_ -]+>/i.test(text)) return { well_behaved: true };
  const value = jsonIn(text);
  if (!isObject(value)) return { success: true, output_contains: text };
  const { content, isError } = value;
  if (!Array.isArray(content)) return { success: true, output_json_contains: value };
  const shown = content.flatMap((part) => isObject(part) && typeof part.text === "string" ? part.text : [])
    .join("\n");
  return isError === true
    ? { success: false, error_contains: shown }
    : { success: true, output_contains: shown };
}
