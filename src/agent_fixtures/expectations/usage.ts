/** `usage`: tokens, cost and turns of the session are within bounds. */
import * as z from "zod";
import { defineExpectation, type Judgement } from "../expectation.ts";
import { rangeLimits, rangeSchema, rangeText } from "../expected_fields.ts";
import { type ObservedSession, timelineEntries } from "../observed_session.ts";

const counted = {
  tokens: "Tokens of all answers, in and out.",
  input_tokens: "Tokens that the model read.",
  output_tokens: "Tokens that the model wrote.",
  turns: "Answers of the model, those to subagents included.",
  calls: "Calls of tools, those of subagents included.",
} as const;

const schema = z.strictObject({
  ...Object.fromEntries(
    Object.entries(counted).map(([key, text]) => [key, rangeSchema.optional().describe(text)]),
  ) as Record<keyof typeof counted, z.ZodOptional<typeof rangeSchema>>,
  max_cost: z.number().nonnegative().optional().describe("Cost of a real model at most, by `--prices`."),
}).refine((bounds) => Object.keys(bounds).length > 0, "expected a bound");

type Expected = z.infer<typeof schema>;

export default defineExpectation({
  type: "usage",
  summary: "Tokens, cost, turns and calls of tools are within bounds",
  schema,
  example: { turns: { max: 5 }, tokens: { max: 20_000 } },
  describe: (bounds: Expected) => `${Object.keys(bounds).join(", ")} are within bounds`,
  judge(expected: Expected, session): Judgement {
    const actual = usageOf(session);
    const misses = [
      ...(Object.keys(counted) as (keyof typeof counted)[]).map((key) =>
        expected[key] === undefined ? undefined : rangeMiss(key, actual[key], expected[key])
      ),
      costMiss(expected.max_cost, actual.cost),
    ].filter((miss) => miss !== undefined);
    return misses.length === 0 ? { pass: true, actual } : { pass: false, actual, reason: misses.join("; ") };
  },
});

/** Numbers of a session; tokens and cost are undefined where nothing tells them. */
function usageOf(session: ObservedSession) {
  const { input = 0, output = 0 } = session.facts?.tokens ?? {};
  const told = input + output > 0;
  return {
    tokens: told ? input + output : undefined,
    input_tokens: told ? input : undefined,
    output_tokens: told ? output : undefined,
    turns: timelineEntries(session, "turn").length,
    calls: timelineEntries(session, "tool_call").length,
    cost: session.spent?.cost,
  };
}

function rangeMiss(
  name: string,
  number: number | undefined,
  range: z.infer<typeof rangeSchema>,
): string | undefined {
  if (number === undefined) {
    return `${name} are not known: no answer of the model tells them; turns of a playbook have \`usage\``;
  }
  const { min, max } = rangeLimits(range, { min: 0, max: Infinity });
  return number >= min && number <= max ? undefined : `${name}: ${number}, expected ${rangeText(range)}`;
}

function costMiss(most: number | undefined, cost: number | undefined): string | undefined {
  if (most === undefined) return undefined;
  if (cost === undefined || cost === 0) {
    return "the cost is not known: it takes a real model, and its prices";
  }
  return cost <= most ? undefined : `it has cost ${cost.toFixed(4)}, expected at most ${most}`;
}
