/** Schema of playbooks, and docs/playbook.schema.json. */
import * as z from "zod";
import { sidePurposes, streamErrors } from "../../../machines/model/playbook.ts";
import { validatorFor } from "../../client/schema_problems.ts";
import type { Path } from "../../core/read_source.ts";
import { recordedSchema } from "./recorded_schema.ts";
import { isVariableName } from "../../testing/format/variables.ts";
import { patternSchema } from "../../testing/match/text_matches.ts";
import { pathProblem } from "../../testing/match/values_at.ts";

const text = z.string().min(1);
const texts = z.array(text).min(1);
const oneOrMore = z.union([text, texts], { error: "expected text, or a list of texts" });
const count = z.number().int().min(0);
/** Longer than any agent waits. */
const longestWaitMs = 600_000;

const jsonPath = text.superRefine((path, context) => {
  const problem = pathProblem(path);
  if (problem !== undefined) context.addIssue({ code: "custom", message: `expected a JSONPath: ${problem}` });
});

const textRule = z.union([
  text,
  z.strictObject({
    contains: oneOrMore.optional().describe("Texts that are there."),
    lacks: oneOrMore.optional().describe("Texts that are not there."),
    glob: text.optional().describe("Glob for the whole text: `*` is any text, `?` one character."),
    regex: patternSchema.optional().describe("JavaScript regular expression that matches anywhere."),
  }),
], { error: "expected text, or a map of contains, lacks, glob and regex" });

const resultRule = z.strictObject({
  tool: text.optional().describe("Glob for the tool; absent: the latest result of any tool."),
  is_error: z.boolean().optional().describe("Whether the result is an error."),
  text: textRule.optional().describe("Text of the result."),
  path: jsonPath.optional().describe("JSONPath that finds something in the result, which is JSON then."),
  equals: z.unknown().optional().describe("First value at the path."),
});

const jsonSchema = z.record(z.string(), z.unknown()).superRefine((schema, context) => {
  if (validatorFor(schema) !== undefined) return;
  context.addIssue({ code: "custom", message: "expected a JSON Schema, this does not compile" });
});

const requestRule = z.strictObject({
  tools: texts.optional().describe("Globs, each of which fits a tool that is offered."),
  no_tools: texts.optional().describe("Globs that fit no tool that is offered."),
  lists: texts.optional().describe("Skills, commands and subagents that are listed to the model."),
  no_lists: texts.optional().describe("Skills, commands and subagents that are not listed."),
  model: textRule.optional().describe("Name of the model that is asked for."),
  system: textRule.optional().describe("System prompt."),
  prompt: textRule.optional().describe("Last message of the user."),
  messages: textRule.optional().describe("All messages."),
  result: resultRule.optional().describe("Latest result of a tool."),
  schema: jsonSchema.optional().describe("JSON Schema of the request's body."),
});

const binding = z.strictObject({
  tool: text.optional().describe("Glob for the tool whose latest result is read; absent: any tool."),
  path: jsonPath.optional().describe("JSONPath in the result, which is JSON then; the first value is taken."),
  regex: patternSchema.optional().describe("Regular expression; its first group is taken, else the match."),
});

const call = z.strictObject({
  tool: text.describe("Name of the tool, as the agent offers it: `mcp__<server>__<tool>` in Claude Code."),
  input: z.record(z.string(), z.unknown()).optional().describe("Arguments. May hold `$variable`."),
});

const scriptedError = z.strictObject({
  status: z.number().int().min(400).max(599).optional().describe("HTTP status in place of an answer."),
  message: text.optional().describe("Words of the error."),
  retry_after: z.number().min(0).max(3600).optional().describe("Seconds, for the header `retry-after`."),
  stream: z.enum(streamErrors).optional().describe(
    "What becomes of the answer half-way: the connection ends (cut), stays silent (stall), or brings an event that is no JSON (malformed).",
  ),
});

const usage = z.strictObject({
  input_tokens: count.optional().describe("Tokens of the request."),
  output_tokens: count.optional().describe("Tokens of the answer."),
  cache_read_tokens: count.optional().describe("Tokens read from the cache."),
  cache_write_tokens: count.optional().describe("Tokens written to the cache."),
});

const turnSchema = z.strictObject({
  text: z.string().optional().describe("What the model says. May hold `$variable`."),
  thinking: z.string().optional().describe("What it thinks before. May hold `$variable`."),
  calls: z.array(call).min(1).optional().describe("Tools that it calls, all at once."),
  usage: usage.optional().describe("Tokens that the answer is said to have cost."),
  error: scriptedError.optional().describe("Error in place of an answer, or in the midst of it."),
  delay_ms: z.number().min(0).max(longestWaitMs).optional().describe(
    "Milliseconds before the answer begins.",
  ),
  bind: z.record(text, binding).optional().describe(
    "Variables from earlier results, for this turn and later ones of the lane.",
  ),
  when: requestRule.optional().describe("The turn is left out unless the request is like this."),
  match: requestRule.optional().describe(
    "The turn waits for a request like this; until then, later turns may go before it.",
  ),
  expect: requestRule.optional().describe(
    "What the answered request has to be like; the session goes on where it is not, and fails at its end.",
  ),
  repeat: z.strictObject({
    until: requestRule.describe("Request that ends the repetition, and goes to the next turn."),
    at_most: z.number().int().min(1).max(10_000).optional().describe("Times in all; 20 unless given."),
  }).optional().describe("The turn is played again for each request until one is like this."),
  optional: z.boolean().optional().describe("Whether the turn may be left over."),
  request: text.optional().describe("Recorded request that the turn answered, by its name in `recorded`."),
});

const turns = z.array(turnSchema).min(1);

const laneSchema = z.strictObject({
  name: text.optional().describe("For messages; made of the other keys unless given."),
  subagent: z.union([text, z.number().int().min(1)], {
    error: "expected the type of a subagent (text), or its number from 1",
  }).optional().describe(
    "Glob for the type of a subagent, or its number in the order of first requests. One lane is one conversation.",
  ),
  side: z.enum(sidePurposes).optional().describe(
    "Calls that the agent makes by itself; without a lane they get a short text.",
  ),
  match: requestRule.optional().describe("Requests that the lane takes, whoever asks."),
  turns: turns.describe("Turns of the conversation, in order."),
});

export const playbookSchema = z.strictObject({
  name: text.optional().describe("For people."),
  description: z.string().optional().describe("For people."),
  turns: turns.optional().describe("Turns of the main conversation, in order."),
  lanes: z.array(laneSchema).min(1).optional().describe("Other conversations."),
  judge: turns.optional().describe(
    'Turns of a session of its own that judges a test\'s checklist; the last says {"checklist":[{"item","met","evidence"}]}.',
  ),
  recorded: recordedSchema.optional().describe(
    "Requests of the session that the playbook was recorded from; a replay tells where they have drifted.",
  ),
}).superRefine((playbook, context) => {
  for (const { path, message } of rulesBroken(playbook)) {
    context.addIssue({ code: "custom", path: [...path], message });
  }
});

/** Rules across keys. */
function rulesBroken(
  { turns, lanes = [], judge = [], recorded }: z.infer<typeof playbookSchema>,
): { path: Path; message: string }[] {
  const broken: { path: Path; message: string }[] = [];
  if (turns === undefined && lanes.length === 0) {
    broken.push({ path: [], message: "expected turns (of the main conversation) or lanes" });
  }
  for (const [index, lane] of lanes.entries()) {
    const kinds = (["subagent", "side", "match"] as const).filter((key) => lane[key] !== undefined);
    if (kinds.length !== 1) {
      const message =
        "expected one of subagent, side and match; turns of the main conversation stand at the top";
      broken.push({ path: ["lanes", index], message });
    }
    broken.push(...turnRules(lane.turns, ["lanes", index, "turns"]));
  }
  return [
    ...broken,
    ...turnRules(turns ?? [], ["turns"]),
    ...turnRules(judge, ["judge"]),
    ...(recorded === undefined ? [] : namesMissing(recorded)),
  ];
}

/** Names within the recorded requests that stand for nothing. */
function namesMissing({ requests, tool_sets, texts }: z.infer<typeof recordedSchema>) {
  return Object.entries(requests).flatMap(([request, { system, tools, messages }]) => {
    const at: Path = ["recorded", "requests", request];
    const missing = (path: Path, name: string, names: Record<string, unknown>, kind: string) =>
      Object.hasOwn(names, name) ? [] : [{ path, message: `there is no ${kind} ${name}` }];
    return [
      ...missing([...at, "system"], system, texts, "text"),
      ...missing([...at, "tools"], tools, tool_sets, "set of tools"),
      ...messages.flatMap((name, index) => missing([...at, "messages", index], name, texts, "text")),
    ];
  });
}

function turnRules(turns: readonly z.infer<typeof turnSchema>[], path: Path) {
  return turns.flatMap((turn, index) => {
    const at = [...path, index];
    const broken: { path: Path; message: string }[] = [];
    const says = turn.text !== undefined || turn.calls !== undefined;
    if (!says && turn.error === undefined) {
      broken.push({ path: at, message: "expected text, calls or error: the turn says nothing" });
    }
    if (turn.error !== undefined) {
      const { status, stream, retry_after } = turn.error;
      if ((status === undefined) === (stream === undefined)) {
        broken.push({ path: [...at, "error"], message: "expected one of status and stream" });
      } else if (status !== undefined && (says || turn.thinking !== undefined)) {
        broken.push({
          path: [...at, "error"],
          message: "expected no text and no calls: an error with status has none",
        });
      } else if (status === undefined && retry_after !== undefined) {
        broken.push({
          path: [...at, "error", "retry_after"],
          message: "retry_after is for an error with status",
        });
      }
    }
    for (const [name, { path: json, regex }] of Object.entries(turn.bind ?? {})) {
      if (!isVariableName(name)) {
        broken.push({ path: [...at, "bind", name], message: "expected a name of letters, digits and _" });
      }
      if ((json === undefined) === (regex === undefined)) {
        broken.push({ path: [...at, "bind", name], message: "expected one of path and regex" });
      }
    }
    for (const key of ["when", "match", "expect"] as const) {
      const result = turn[key]?.result;
      if (result !== undefined && "equals" in result && result.path === undefined) {
        broken.push({ path: [...at, key, "result", "equals"], message: "equals is for the value at a path" });
      }
    }
    return broken;
  });
}

/** Keys that exist in the map at a path, for "did you mean"; none where any key may be. */
export function playbookKeys(path: Path): string[] {
  let schema: unknown = playbookSchema;
  for (const segment of path) {
    schema = unwrapped(schema);
    if (schema instanceof z.ZodArray) schema = schema.element;
    else if (schema instanceof z.ZodObject) schema = schema.shape[segment];
    else if (schema instanceof z.ZodRecord) schema = schema.valueType;
    else return [];
  }
  const last = unwrapped(schema);
  return last instanceof z.ZodObject ? Object.keys(last.shape) : [];
}

function unwrapped(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional) return unwrapped(schema.unwrap());
  if (!(schema instanceof z.ZodUnion)) return schema;
  return unwrapped(schema.options.find((option) => option instanceof z.ZodObject) ?? schema.options[0]);
}

/** JSON Schema 2020-12 of a playbook. */
export function playbookJsonSchema(): string {
  const { $schema, ...rest } = z.toJSONSchema(playbookSchema, {
    io: "input",
    unrepresentable: "any",
    reused: "ref",
  });
  const schema = { $schema, title: "Playbook of the Plugin Test Harness", ...rest };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}
