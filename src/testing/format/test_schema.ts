/** Schema of test files: `expect`, steps, tests, and docs/test.schema.json. */
import * as z from "zod";
import { testSources } from "../../../machines/model/test_case.ts";
import { registry as checks } from "../checks/_registry.ts";
import type { Path } from "../../core/read_source.ts";
import { entriesFor } from "../judge/assertion_table.ts";

const shapeOf = (subject: "response" | "command"): Record<string, z.ZodOptional<z.ZodType>> =>
  Object.fromEntries(
    entriesFor(subject).map(({ key, assertion, ignoreCase }) => {
      const summary = `${assertion.summary}${ignoreCase ? "; upper and lower case ignored" : ""}.`;
      return [key, z.optional(assertion.schema).describe(summary)];
    }),
  );

export const expectSchema = z.strictObject(shapeOf("response"));

const verifySchema = z.strictObject({
  exec: z.string().min(1)
    .describe("A command for `sh -c`, run inside the environment in the plugin's folder."),
  ...shapeOf("command"),
});

const text = z.string().min(1);
const seconds = z.number().positive();
const anyMap = z.record(z.string(), z.unknown());

const waitForSchema = z.strictObject({
  notification: text.describe("Method of the notification, for example `notifications/resources/updated`."),
  params: anyMap.optional().describe("Part of its `params` that must be there."),
  timeout_seconds: seconds.optional().describe("How long to wait for it; 5 unless given."),
});

const elicitationSchema = z.strictObject({
  action: z.enum(["accept", "decline", "cancel"]).describe("What the person is made to choose."),
  content: anyMap.optional().describe("What is filled in; with `accept` only. May hold `$variable`."),
});

const samplingSchema = z.strictObject({
  text: z.string().describe("What the model is made to say. May hold `$variable`."),
  model: text.optional().describe("Name of the model that the server sees."),
  stop_reason: text.optional().describe("Why the model stopped, for example `endTurn`."),
});

const rootSchema = z.strictObject({
  uri: text.describe("A `file://` URI."),
  name: text.optional().describe("Name of the root, for people."),
});

const repliesSchema = z.strictObject({
  elicitation: z.array(elicitationSchema).optional()
    .describe("Answers to `elicitation/create`, each used once and in order."),
  sampling: z.array(samplingSchema).optional()
    .describe("Answers to `sampling/createMessage`, each used once and in order."),
  roots: z.array(rootSchema).optional().describe("The answer to `roots/list`, for the whole test."),
});

/** Schema of `cancel`. Exactly one of its two keys is required: a rule across keys, in `step_rules.ts`. */
const cancelSchema = z.strictObject({
  after_ms: z.number().min(0).optional().describe("So many milliseconds after the call began."),
  on_progress: z.literal(true).optional().describe("At the call's first progress notification."),
});

/** Schema of a step. A step does exactly one thing: a rule across keys, in `step_rules.ts`. */
const stepSchema = z.strictObject({
  tool: text.optional().describe("Calls this tool."),
  input: anyMap.optional().describe("Arguments of the call; `{}` unless given. May hold `$variable`."),
  read_resource: text.optional().describe("Reads the resource of this URI. May hold `$variable`."),
  subscribe: text.optional()
    .describe(
      "Subscribes to the resource of this URI; `wait_for` then waits for its updates. May hold `$variable`.",
    ),
  get_prompt: text.optional().describe("Gets the prompt of this name."),
  arguments: z.record(z.string(), z.string()).optional()
    .describe("Arguments of the prompt, all of them texts. May hold `$variable`."),
  wait_for: waitForSchema.optional()
    .describe(
      "Waits for a notification that has come since the test began, or comes in time; each counts once.",
    ),
  expect: expectSchema.optional().describe("Assertions on the answer of this step."),
  capture: z.record(z.string(), z.string()).optional().describe(
    "Variables for later steps: name to JSONPath (RFC 9535) over `{ output, text, content, structuredContent, isError }`, or to " +
      "`/pattern (group)/` on the text; `/pattern (group)/number` gives a number.",
  ),
  verify: z.array(verifySchema).optional().describe(
    "Commands after this step, with what is expected of them.",
  ),
  replies: repliesSchema.optional().describe("Answers to what the server asks its client during this step."),
  cancel: cancelSchema.optional().describe("Cancels the call of this step."),
});

export type StepText = z.infer<typeof stepSchema>;

const tier = z.literal([1, 2, 3]);
const input = z.record(z.string(), z.unknown());

const controlSchema = z.strictObject({ input: input.describe("Arguments of the control call.") });
const fileSchema = z.strictObject({
  path: text.describe(
    "Where the file is written: relative to the plugin's folder, and within it; or absolute, in the environment.",
  ),
  content: z.string().describe("What it holds."),
});
/** Schema of a preparation. Exactly one of its two keys is required: a rule across keys, in `broken_rules.ts`. */
const preparationSchema = z.strictObject({
  exec: text.optional()
    .describe(
      "A command for `sh -c`, run inside the environment in the plugin's folder; it must exit with 0.",
    ),
  file: fileSchema.optional().describe("A file to write."),
});

export const testSchema = z.strictObject({
  name: text.describe("Unique among the tests by hand. The test's id is its name as a slug."),
  tier: tier.optional().describe(
    "1: one call; 2: steps; 3: what an agent does. Follows from the other keys.",
  ),
  requires_tier: tier.optional().describe(
    "The least environment tier that the test needs (1 container, 2 container with systemd, 3 virtual machine); in a lesser one it is skipped.",
  ),
  description: z.string().optional().describe("For people."),
  tool: text.optional().describe("Tier 1: the tool to call."),
  check: z.enum(checks.map((check) => check.name)).optional()
    .describe("Tier 1: a check of the server as a whole, in place of a call."),
  config: z.record(text, z.string()).optional().describe(
    "Of a check: values of the plugin's options that its server is started with.",
  ),
  input: input.optional().describe("Tier 1: arguments of the call; `{}` unless given."),
  control: controlSchema.optional().describe(
    "Tier 1: a call of the same tool that is made first and must succeed, else the test is skipped: it would prove nothing.",
  ),
  expect: expectSchema.optional().describe("Tier 1: assertions on the answer."),
  steps: z.array(stepSchema).optional().describe(
    "Tier 2: the steps of a scenario, in order; the first that fails ends it.",
  ),
  prompt: text.optional().describe("Tier 3: what an agent is to do with the plugin's tools."),
  tool_sequence: z.array(stepSchema).optional()
    .describe("Tier 3: the calls that an agent would make, as steps; in place of `prompt`."),
  checklist: z.array(text).optional()
    .describe(
      "Tier 3: what must be true afterwards, in words; the driver of the prompt judges each with evidence.",
    ),
  verify: z.array(verifySchema).optional().describe(
    "Commands after the test, with what is expected of them.",
  ),
  setup: z.array(preparationSchema).optional()
    .describe("Before the test, in order; one that fails makes the test fail."),
  teardown: z.array(preparationSchema).optional().describe("After the test, whatever came of it."),
  tags: z.array(text).optional().describe("Words to choose tests by (`--tag`)."),
  generated_from: z.enum(testSources).optional()
    .describe("Where the test came from; `manual` unless given."),
  origin: text.optional().describe(
    "Why a generated test was proposed, and from what: `src/server.ts:40: …`.",
  ),
  timeout_seconds: z.number().positive().optional()
    .describe("Limit of the whole test; unless given `--timeout`, else 10, 30 or 120 by tier."),
});

export type TestText = z.infer<typeof testSchema>;

/** Keys that exist in the map at a path, for "did you mean"; none where any key may be. */
export function knownKeys(path: Path): string[] {
  let schema: unknown = testSchema;
  for (const segment of path) {
    schema = unwrapped(schema);
    if (schema instanceof z.ZodArray) schema = schema.element;
    else if (schema instanceof z.ZodObject) schema = schema.shape[segment];
    else return [];
  }
  const last = unwrapped(schema);
  return last instanceof z.ZodObject ? Object.keys(last.shape) : [];
}

const unwrapped = (schema: unknown): unknown =>
  schema instanceof z.ZodOptional ? unwrapped(schema.unwrap()) : schema;

/** One of these makes a test what it is; `test_rules.ts` says the same in words. */
const subjects = ["tool", "check", "steps", "prompt", "tool_sequence"];
const stepKinds = ["tool", "read_resource", "subscribe", "get_prompt", "wait_for"];

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
  [key: string]: unknown;
}

/** JSON Schema 2020-12 of a file that holds one test or a list of tests. */
export function testJsonSchema(): string {
  const { $schema, ...test } = z.toJSONSchema(testSchema, { io: "input", unrepresentable: "any" }) as Schema;
  const steps = [test.properties?.steps?.items, test.properties?.tool_sequence?.items];
  for (const step of steps) Object.assign(step!, { oneOf: oneOf(stepKinds) });
  const schema = {
    $schema,
    title: "Tests of the Plugin Test Harness",
    oneOf: [{ $ref: "#/$defs/test" }, { type: "array", minItems: 1, items: { $ref: "#/$defs/test" } }],
    $defs: { test: { ...test, oneOf: oneOf(subjects) } },
  };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}

const oneOf = (keys: readonly string[]) => keys.map((key) => ({ required: [key] }));
