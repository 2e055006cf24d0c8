/** The tools of a plugin as Markdown: what each does, takes, and answers in a test that passed. */
import type { CallOutcome, ToolDefinition } from "../../../machines/model/plugin.ts";
import { isObject } from "../../core/values.ts";
import { fencedText } from "../markdown_table.ts";
import type { Observation } from "../../../machines/model/observation.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import type { ToolExample } from "../../../machines/model/export.ts";

type Schema = Record<string, unknown>;

/** Sections of all tools, in the order in which the server lists them; `level` is that of the tools' headings. */
export function toolsSection(
  tools: readonly ToolDefinition[],
  examples: ReadonlyMap<string, ToolExample>,
  level: number,
): string {
  return tools.map((tool) => toolText(tool, examples.get(tool.name), level)).join("\n\n");
}

function toolText(tool: ToolDefinition, example: ToolExample | undefined, level: number): string {
  return [
    `${"#".repeat(Math.min(6, level))} \`${tool.name}\``,
    safe(tool.description?.trim() || tool.title || ""),
    parameters(tool.inputSchema),
    ...(example === undefined ? [] : [exampleText(example)]),
  ].filter((part) => part !== "").join("\n\n");
}

function parameters(schema: unknown): string {
  const { properties = {}, required = [] } = isObject(schema) ? schema : {};
  const rows = Object.entries(isObject(properties) ? properties : {});
  if (rows.length === 0) return "Takes no parameters.";
  const needed = new Set(Array.isArray(required) ? required : []);
  return [
    "| parameter | type | required | description |",
    "| --- | --- | --- | --- |",
    ...rows.map(([name, value]) => {
      const property = isObject(value) ? value : {};
      const description = typeof property.description === "string" ? property.description : "";
      return `| \`${cell(name)}\` | ${cell(typeOf(property))} | ${needed.has(name) ? "yes" : "no"} | ${
        cell(safe(description) + defaultText(property))
      } |`;
    }),
  ].join("\n");
}

function typeOf(schema: Schema): string {
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => code(JSON.stringify(value))).join(", ");
  if ("const" in schema) return code(JSON.stringify(schema.const));
  if (typeof schema.$ref === "string") return schema.$ref.split("/").at(-1) ?? "object";
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices)) {
    return choices.map((choice) => typeOf(isObject(choice) ? choice : {})).join(" or ");
  }
  if (schema.type === "array") return `array of ${isObject(schema.items) ? typeOf(schema.items) : "any"}`;
  return Array.isArray(schema.type) ? schema.type.join(" or ") : String(schema.type ?? "any");
}

const defaultText = (schema: Schema): string =>
  "default" in schema ? ` (default: ${JSON.stringify(schema.default)})` : "";

function exampleText({ input, output }: ToolExample): string {
  return [
    "Example:",
    fencedText(shortened(JSON.stringify(input, null, 2), 25, 1000), "json"),
    "answers",
    fencedText(shortened(output.trimEnd() || "(an answer without text)", 15, 800)),
  ].join("\n\n");
}

function shortened(text: string, lines: number, characters: number): string {
  const kept = text.slice(0, characters).split("\n").slice(0, lines).join("\n");
  return kept.length === text.length ? text : `${kept}\n…`;
}

const code = (text: string): string => `\`${text}\``;
const cell = (text: string): string => text.replaceAll(/\s*\n\s*/g, " ").replaceAll("|", "\\|").trim();
/** Comments could hide the rest, or look like the markers of this section. */
const safe = (text: string): string => text.replaceAll("<!--", "&lt;!--");

/** Most characters that are kept of an answer. */
const longest = 2000;

/** A call in a test that passed: the test's own, or one of its steps. */
interface ExampleCall {
  tool: string;
  input: Record<string, unknown>;
  expect: Record<string, unknown>;
  outcome: CallOutcome | undefined;
}

/** All calls of a test. */
export function callsIn(test: TestCase, { outcome, steps = [] }: Observation): ExampleCall[] {
  if (test.tool !== undefined) {
    return [{ tool: test.tool, input: test.input ?? {}, expect: test.expect, outcome }];
  }
  return steps.flatMap(({ action, outcome }, index) =>
    action.kind === "call"
      ? [{ tool: action.tool, input: action.input, expect: test.steps?.[index]?.expect ?? {}, outcome }]
      : []
  );
}

/** The better example of a tool: one that a person wrote, one that has an answer to show, else the first. Refusals and errors are no example. */
export function betterExample(
  known: ToolExample | undefined,
  test: TestCase,
  { input, expect, outcome }: ExampleCall,
  commit: string | undefined,
): ToolExample | undefined {
  if (outcome === undefined || outcome.isError || "refuses" in expect) return known;
  const byHand = test.generatedFrom === "manual";
  const outdated = known !== undefined && known.commit !== commit;
  const better = known === undefined || outdated || (known.output === "" && outcome.text !== "") ||
    (byHand && !known.byHand);
  if (!better) return known;
  const { id: testId, name } = test;
  const of = commit === undefined ? {} : { commit };
  return { test: name, testId, ...of, input, output: outcome.text.slice(0, longest), byHand };
}
