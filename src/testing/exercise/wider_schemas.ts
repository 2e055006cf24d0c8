/**
 * Finds what a schema declares valid and its tool refuses: a member of an enum, a number within its limits, a text of an
 * allowed length. A caller that trusts the schema is refused, and learns the rule only then.
 *
 * Read from the results of tests: a call that was accepted, and one that differs in this property alone and was refused with
 * words about it. Refusals for other reasons, such as something that is not there, tell nothing of the schema.
 */
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import type { TestResult } from "../../../machines/model/test_result.ts";
import type { Finding } from "../../../machines/model/verdict.ts";
import { oneLine, textExcerpt } from "../../core/text.ts";
import { asSchema, type Schema } from "../json_schema/schema.ts";
import { enumOf, schemaProperties } from "../json_schema/schema_properties.ts";
import { mentions } from "../judge/explained_by_input.ts";
import { refusedWords } from "./unmet_need.ts";

interface Ran {
  tests: readonly TestCase[];
  results: readonly TestResult[];
  tools: readonly ToolDefinition[];
}

interface Call {
  input: Record<string, unknown>;
  /** Words of the refusal; absent where it was accepted. */
  refused?: string;
}

/** Informational findings, one for each property. */
export function widerSchemas({ tests, results, tools }: Ran): Finding[] {
  const resultOf = new Map(results.map((result) => [result.id, result]));
  const byTool = new Map<string, Call[]>();
  for (const test of tests) {
    const call = callOf(test, resultOf.get(test.id));
    if (call === undefined) continue;
    const calls = byTool.get(test.tool!);
    if (calls === undefined) byTool.set(test.tool!, [call]);
    else calls.push(call);
  }
  return tools.flatMap((tool) => refusedValues(tool, byTool.get(tool.name) ?? []));
}

function callOf({ tool, input = {}, expect }: TestCase, result: TestResult | undefined): Call | undefined {
  if (tool === undefined || result === undefined || expect.well_behaved !== true) return undefined;
  if (result.status === "passed") return { input };
  const refused = result.status === "skipped" ? refusedWords(result.note) : undefined;
  return refused === undefined ? undefined : { input, refused };
}

function refusedValues({ name, inputSchema }: ToolDefinition, calls: readonly Call[]): Finding[] {
  const accepted = calls.filter(({ refused }) => refused === undefined);
  const told = new Set<string>();
  return calls.flatMap(({ input, refused }): Finding[] => {
    if (refused === undefined) return [];
    const [property, before] = onlyDifference(input, accepted) ?? [];
    if (property === undefined || told.has(property)) return [];
    const rule = declares(asSchema(inputSchema), property, input[property]);
    if (rule === undefined || !isAboutValue(refused, property, input[property])) return [];
    told.add(property);
    return [{
      severity: "info",
      code: "schema-wider-than-server",
      tool: name,
      message: `${name} refuses ${property} = ${
        textExcerpt(input[property], 80)
      }, which its schema allows (${rule}): ${textExcerpt(oneLine(refused, 200), 200)}; it accepts ${
        before === undefined ? "the call without it" : textExcerpt(before, 80)
      }`,
    }];
  });
}

/** The one property in which an accepted call differs from the input, and its value there. */
function onlyDifference(
  input: Record<string, unknown>,
  accepted: readonly Call[],
): [property: string, before: unknown] | undefined {
  for (const other of accepted) {
    const names = new Set([...Object.keys(input), ...Object.keys(other.input)]);
    const differing = [...names].filter((name) =>
      JSON.stringify(input[name]) !== JSON.stringify(other.input[name])
    );
    const [only] = differing;
    if (differing.length === 1 && Object.hasOwn(input, only!)) return [only!, other.input[only!]];
  }
  return undefined;
}

/** The part of the schema that allows the value by name or by limits; undefined where it only gives a type. */
function declares(schema: Schema, property: string, value: unknown): string | undefined {
  const part = schemaProperties(schema).find(({ name }) => name === property)?.part;
  if (part === undefined) return undefined;
  if (enumOf(part, schema).includes(value)) return "a member of its enum";
  const limits = typeof value === "number"
    ? { minimum: part.minimum, maximum: part.maximum }
    : typeof value === "string"
    ? { minLength: part.minLength, maxLength: part.maxLength }
    : {};
  const given = Object.entries(limits).filter(([, limit]) => typeof limit === "number");
  return given.length === 0 ? undefined : given.map(([key, limit]) => `${key} ${limit}`).join(", ");
}

const aboutValues =
  /\bmust be\b|\bone of\b|\binvalid\b|unsupported|not (?:a )?(?:supported|allowed|valid|implemented|available)|unknown|out of range|too (?:large|small|long|short|high|low|big)|at (?:most|least)|exceed|greater than|less than|between|maximum|minimum/i;
const ofOtherThings =
  /requir|missing|not found|no such|does not exist|ENOENT|permission|denied|credential|api[ _-]?key|network|install/i;

const isAboutValue = (refused: string, property: string, value: unknown): boolean =>
  aboutValues.test(refused) && !ofOtherThings.test(refused) &&
  (mentions([refused], property) || mentions([refused], String(value)));
