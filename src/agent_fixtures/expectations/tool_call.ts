/** `tool_call`: a tool was called, as often, with such an input and such a result, in such an order. */
import * as z from "zod";
import { oneLine, textExcerpt } from "../../core/text.ts";
import { defineExpectation } from "../expectation.ts";
import {
  callInputText,
  globMiss,
  globSchema,
  jsonSchemaSchema,
  patternKeys,
  patternMiss,
  rangeLimits,
  rangeSchema,
  schemaMiss,
  shownPattern,
  textPatternSchema,
  valueMisses,
  valuesByPathSchema,
} from "../expected_fields.ts";
import { type Candidate, judgeCandidates } from "../judge_candidates.ts";
import { isBlocked, type ObservedSession, type Placed, timelineEntries } from "../observed_session.ts";

const otherCall = z.strictObject({ tool: globSchema, ...patternKeys });

const schema = z.strictObject({
  tool: globSchema.describe("Glob for the tool's name: `Bash`, `mcp__plugin_*__find`."),
  ...patternKeys,
  input: valuesByPathSchema.optional().describe(
    "Values of the input by their JSONPath; maps may hold more keys.",
  ),
  input_schema: jsonSchemaSchema.optional().describe("JSON Schema that the input fits."),
  output: textPatternSchema.optional().describe("Regular expression for the result."),
  is_error: z.boolean().optional().describe("Whether the result is an error."),
  blocked: z.union([z.boolean(), textPatternSchema], {
    error: "expected true, false, or a regular expression for the reason",
  }).optional().describe("Whether a hook or a permission kept it from running; or a pattern for the reason."),
  subagent: globSchema.optional().describe("Glob for the type of the subagent that calls."),
  count: rangeSchema.optional().describe("Number of such calls, or min and max; 0: it is never called."),
  after: otherCall.optional().describe("Such a call was made before the first one."),
  before: otherCall.optional().describe("Such a call was made after the first one."),
});

type Expected = z.infer<typeof schema>;
type Call = Placed<"tool_call">;

const preview = 200;

export default defineExpectation({
  type: "tool_call",
  summary: "A tool was called: with such an input, with such a result, so often, in this order, or never",
  schema,
  example: { tool: "Bash", pattern: "cat.*config\\.yaml" },
  describe: ({ tool, pattern, flags, count }: Expected) =>
    `${tool} is ${count === 0 ? "never called" : "called"}${
      pattern === undefined ? "" : ` with ${shownPattern(pattern, flags)}`
    }`,
  judge(expected: Expected, session) {
    const calls = timelineEntries(session, "tool_call");
    const subagents = subagentsOf(session);
    const candidates = calls.map((call): Candidate => ({
      at: call.at,
      actual: actualOf(call),
      shown: shownCall(call),
      text: callInputText(call),
      misses: [
        globMiss("the tool", call.tool, expected.tool),
        patternMiss("its input", callInputText(call), expected.pattern, expected.flags),
        ...valueMisses("its input", expected.input, call.input),
        schemaMiss("its input", "input_schema", expected.input_schema, call.input),
        patternMiss("its result", call.result, expected.output),
        errorMiss(expected, call),
        blockedMiss(expected, call),
        callerMiss(expected, subagents.get(call.lane)),
        orderMiss(expected, call, calls),
      ],
    }));
    return judgeCandidates({
      noun: `a call of ${expected.tool}${
        expected.pattern === undefined ? "" : ` with ${shownPattern(expected.pattern, expected.flags)}`
      }`,
      candidates,
      limits: rangeLimits(expected.count, { min: 1, max: Infinity }),
      pattern: expected.pattern,
    });
  },
});

const shownCall = (call: Call): string => `${call.tool} ${textExcerpt(callInputText(call), preview)}`;

const actualOf = (call: Call) => ({
  tool: call.tool,
  command: callInputText(call),
  output_preview: call.result === undefined ? null : oneLine(call.result, preview),
});

/** Types of subagents by their lanes. */
const subagentsOf = (session: ObservedSession): Map<string, string> =>
  new Map(timelineEntries(session, "subagent").map(({ lane, agent }) => [lane, agent]));

function errorMiss({ is_error: wanted }: Expected, call: Call): string | undefined {
  if (wanted === undefined || call.is_error === wanted) return undefined;
  if (call.is_error === undefined) return "the agent does not tell whether its result is an error";
  return wanted ? "its result is no error" : `its result is an error: ${oneLine(call.result ?? "", preview)}`;
}

function blockedMiss({ blocked }: Expected, call: Call): string | undefined {
  if (blocked === undefined) return undefined;
  const is = isBlocked(call);
  if (blocked === false) return is ? `it was blocked: ${oneLine(call.result ?? "", preview)}` : undefined;
  if (!is) return "it was not blocked";
  return blocked === true ? undefined : patternMiss("the reason of the block", call.result, blocked);
}

function callerMiss({ subagent }: Expected, caller: string | undefined): string | undefined {
  if (subagent === undefined) return undefined;
  return caller === undefined
    ? "the main conversation made it, no subagent"
    : globMiss("the subagent", caller, subagent);
}

function orderMiss({ after, before }: Expected, call: Call, calls: readonly Call[]): string | undefined {
  const missing = (wanted: z.infer<typeof otherCall> | undefined, among: readonly Call[], where: string) => {
    if (wanted === undefined) return undefined;
    const found = among.some((other) =>
      globMiss("", other.tool, wanted.tool) === undefined &&
      patternMiss("", callInputText(other), wanted.pattern, wanted.flags) === undefined
    );
    if (found) return undefined;
    const shown = wanted.pattern === undefined ? "" : ` with ${shownPattern(wanted.pattern, wanted.flags)}`;
    return `no call of ${wanted.tool}${shown} came ${where} it`;
  };
  return missing(after, calls.filter(({ at }) => at < call.at), "before") ??
    missing(before, calls.filter(({ at }) => at > call.at), "after");
}
