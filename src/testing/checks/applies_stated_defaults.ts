/** A call without a property is answered like one with the default that the schema, or its description, states. */
import { isDeepStrictEqual } from "node:util";
import type { CallOutcome, ToolDefinition } from "../../../machines/model/plugin.ts";
import type { Finding } from "../../../machines/model/verdict.ts";
import { asPthError } from "../../core/errors.ts";
import { count, textExcerpt } from "../../core/text.ts";
import { createBreather } from "../../core/waiting.ts";
import { type CheckContext, checkPassed, defineCheck } from "../check.ts";
import { calmTools } from "../generate/check_calls.ts";
import { exampleInput } from "../json_schema/example_input.ts";
import { asSchema, type Schema } from "../json_schema/schema.ts";
import { isDuration, schemaProperties } from "../json_schema/schema_properties.ts";
import { statedDefault } from "../json_schema/stated_default.ts";
import { skippingVerdict } from "../judge/failing_verdict.ts";

/** Most defaults that are tried, of all tools and of one; time in ms after which no further one is. */
const [mostTried, mostOfTool, allMs] = [12, 3, 6000];
/** A tool that takes longer for one call, in ms, is left alone; after so many of them all are. */
const [quickMs, mostSlow] = [1000, 2];

type Scalar = string | number | boolean;

interface Default {
  property: string;
  value: Scalar;
  /** Place where it is stated. */
  by: "schema" | "description";
}

export default defineCheck({
  name: "applies_stated_defaults",
  summary: "applies the defaults that it states",
  category: "wrong-output",
  onlyAsks: true,
  callsTools: true,
  appliesTo: (tools) => calmTools(tools).some((tool) => defaultsOf(asSchema(tool.inputSchema)).length > 0),
  async run(context) {
    const end = performance.now() + allMs;
    const findings: Finding[] = [];
    const breathe = createBreather();
    let [decided, slow] = [0, 0];
    for (const tool of calmTools(await context.tools())) {
      if (performance.now() > end) break;
      await breathe();
      const example = slow < mostSlow ? exampleInput(tool) : undefined;
      if (example === undefined) continue;
      for (const stated of defaultsOf(example.schema).slice(0, mostOfTool)) {
        if (decided >= mostTried || performance.now() > end) break;
        const { [stated.property]: _given, ...without } = example.input;
        const withIt = { ...without, [stated.property]: stated.value };
        if (!example.isValid(without) || !example.isValid(withIt)) continue;
        const answers = await inTurns(context, tool, [without, withIt, withIt, without]);
        if (answers === "slow") {
          slow++;
          break;
        }
        if (answers === "lost") return skippingVerdict(`server ended at a call of ${tool.name}`);
        const pair = bothSure(answers);
        if (pair === undefined) continue;
        decided++;
        if (differs(pair, stated.property)) findings.push(finding(tool.name, stated, pair, without));
      }
    }
    return decided === 0
      ? skippingVerdict("no default was found that answers could show")
      : checkPassed(`${count(decided, "default")} tried`, findings);
  },
});

/** Optional properties with a default that is a single value. */
function defaultsOf(schema: Schema): Default[] {
  return schemaProperties(schema).flatMap(({ name, part, required }): Default[] => {
    if (required || isDuration(name)) return [];
    const { default: given } = part;
    if (isScalar(given)) return [{ property: name, value: given, by: "schema" }];
    const told = given === undefined ? statedDefault(part, schema) : undefined;
    return told === undefined ? [] : [{ property: name, value: told, by: "description" }];
  });
}

const isScalar = (value: unknown): value is Scalar => /^(?:string|number|boolean)$/.test(typeof value);

async function inTurns(
  context: CheckContext,
  { name }: ToolDefinition,
  inputs: readonly Record<string, unknown>[],
): Promise<CallOutcome[] | "slow" | "lost"> {
  const answers: CallOutcome[] = [];
  for (const input of inputs) {
    try {
      answers.push(await context.call(name, input, { timeoutMs: quickMs }));
    } catch (error) {
      const { code } = asPthError(error);
      if (code === "SERVER_LOST") return "lost";
      if (code !== "SERVER_SILENT") throw error;
      return "slow";
    }
    // A refusal shows no default.
    if (answers.at(-1)!.isError) return answers;
  }
  return answers;
}

interface Pair {
  without: CallOutcome;
  withIt: CallOutcome;
}

/** The two answers where each came twice alike, in an order that tells them from a state that changes or goes to and fro. */
function bothSure([first, second, third, fourth]: readonly CallOutcome[]): Pair | undefined {
  if (first === undefined || second === undefined || third === undefined || fourth === undefined) {
    return undefined;
  }
  if (fourth.isError || !isSame(first, fourth) || !isSame(second, third)) return undefined;
  return { without: first, withIt: second };
}

const contentOf = ({ content, structuredContent }: CallOutcome): unknown => ({ content, structuredContent });
const isSame = (a: CallOutcome, b: CallOutcome): boolean => isDeepStrictEqual(contentOf(a), contentOf(b));

/** Whether they differ in more than that one repeats its arguments. */
const differs = ({ without, withIt }: Pair, property: string): boolean =>
  !isSame(without, withIt) &&
  (shows(without, property) || !shows(withIt, property));

const shows = (outcome: CallOutcome, property: string): boolean =>
  JSON.stringify(contentOf(outcome)).includes(property);

const finding = (tool: string, { property, value, by }: Default, pair: Pair, input: unknown): Finding => ({
  severity: "warning",
  code: "default-not-applied",
  tool,
  message: `${tool} called with ${textExcerpt(input, 120)} answers otherwise than with ${property} = ` +
    `${JSON.stringify(value)}, which its ${by} states as the default: ${
      textExcerpt(pair.without.text, 120)
    } against ${textExcerpt(pair.withIt.text, 120)}`,
});
