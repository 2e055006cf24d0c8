/** Shape of one step of a scenario, as it stands in a file. */
import { z } from "zod";
import { expectSchema, verifySchema } from "./expect_schema.ts";

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
  model: text.optional().describe("Name of the model that the server is told."),
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

/** That it has one of the two is a rule across keys: `step_rules.ts`. */
const cancelSchema = z.strictObject({
  after_ms: z.number().min(0).optional().describe("So many milliseconds after the call began."),
  on_progress: z.literal(true).optional().describe("At the call's first progress notification."),
});

/** That a step does exactly one thing is a rule across keys: `step_rules.ts`. */
export const stepSchema = z.strictObject({
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
    "Variables for later steps: name to JSONPath (RFC 9535) over `{ output, text, content, structuredContent, isError }`.",
  ),
  verify: z.array(verifySchema).optional().describe(
    "Commands after this step, with what is expected of them.",
  ),
  replies: repliesSchema.optional().describe("Answers to what the server asks its client during this step."),
  cancel: cancelSchema.optional().describe("Cancels the call of this step."),
});

export type StepText = z.infer<typeof stepSchema>;
