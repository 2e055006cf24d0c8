/** Schema of tests of hooks, `*.hooks.yaml`, and docs/hook-test.schema.json. */
import * as z from "zod";
import { validatorFor } from "../../client/schema_problems.ts";
import { patternSchema } from "../../testing/match/text_matches.ts";
import { hookEvents } from "../hook_events.ts";

const text = z.string().min(1);
const oneOrMore = z.union([text, z.array(text).min(1)], { error: "expected text, or a list of texts" });

/** Path below a folder, without a way out of it. */
const relativePath = text.regex(
  /^(?!\/)(?!(?:.*\/)?\.\.(?:\/|$))/,
  "expected a relative path that does not climb out with ..",
);

const textRule = z.union([
  text,
  z.strictObject({
    equals: z.string().optional().describe("The whole text, without white space at its ends."),
    contains: oneOrMore.optional().describe("Texts that are there."),
    lacks: oneOrMore.optional().describe("Texts that are not there."),
    matches: patternSchema.optional().describe("JavaScript regular expression that matches anywhere."),
  }),
], { error: "expected text that is contained, or a map of equals, contains, lacks and matches" });

export type ExpectedText = z.infer<typeof textRule>;

const jsonSchema = z.record(z.string(), z.unknown()).superRefine((schema, context) => {
  if (validatorFor(schema) !== undefined) return;
  context.addIssue({ code: "custom", message: "expected a JSON Schema, this does not compile" });
});

const expectSchema = z.strictObject({
  decision: z.enum(["allow", "deny", "ask", "defer", "block", "none"]).optional().describe(
    "Decision of all hooks together; none: the action goes ahead as without hooks.",
  ),
  reason: textRule.optional().describe("Reasons of the hooks that decided, one a line."),
  stops: z.boolean().optional().describe("Whether the agent stops (`continue: false`)."),
  context: textRule.optional().describe("Texts for the model, one a line."),
  message: textRule.optional().describe("Texts for the user (`systemMessage`), one a line."),
  updated_input: jsonSchema.optional().describe("JSON Schema of the input that the tool is called with."),
  ran: z.number().int().min(0).optional().describe("Number of hooks that ran."),
  outcome: z.enum(["success", "blocked", "failed", "timed-out", "background"]).optional().describe(
    "Outcome of each hook.",
  ),
  exit_code: z.number().int().min(0).max(255).optional().describe("Exit code of each hook."),
  stdout: textRule.optional().describe("Output of each hook."),
  stderr: textRule.optional().describe("Error output of each hook."),
  answer: jsonSchema.optional().describe("JSON Schema of the answer of each hook."),
  changes: z.strictObject({
    added: z.array(relativePath).optional(),
    changed: z.array(relativePath).optional(),
    removed: z.array(relativePath).optional(),
  }).optional().describe("Files of the project that are not as before; all others are."),
  max_ms: z.number().int().min(1).optional().describe("Limit of each hook, in ms."),
  faults: textRule.optional().describe(
    "Faults that are told of hooks, one a line; unless it is given a fault fails the test.",
  ),
}).refine((expect) => Object.keys(expect).length > 0, "expected something: a test without it cannot fail");

const testSchema = z.strictObject({
  name: text.describe("Unique in its file."),
  event: z.enum([...hookEvents.keys()] as [string]).describe("Event that is fired."),
  skip: text.optional().describe("Reason not to run it."),
  payload: z.record(z.string(), z.unknown()).optional().describe(
    "Payload; what is missing is filled in. `${project}`, `${plugin}`, `${home}` and `${temporary}` are folders.",
  ),
  tool: text.optional().describe("`tool_name` of the payload."),
  input: z.record(z.string(), z.unknown()).optional().describe("`tool_input` of the payload."),
  env: z.record(text, z.string()).superRefine((env, context) => {
    for (const name of Object.keys(env)) {
      if (/^[A-Za-z_]\w*$/.test(name)) continue;
      context.addIssue({ code: "custom", path: [name], message: "expected the name of a variable" });
    }
  }).optional().describe("Variables for the hooks."),
  project: text.optional().describe("Folder of which the hooks work in a copy; from the file's folder."),
  files: z.record(text, z.string()).superRefine((files, context) => {
    for (const path of Object.keys(files)) {
      const message = relativePath.safeParse(path).error?.issues[0]?.message;
      if (message !== undefined) context.addIssue({ code: "custom", path: [path], message });
    }
  }).optional().describe("Texts of files by their paths in the project."),
  hook: text.optional().describe(
    "Text in the command or URL of the hooks that are looked at; absent: all that ran.",
  ),
  expect: expectSchema.describe("What must have happened."),
});

export const hookTestSchema = z.strictObject({
  plugin: text.optional().describe(
    "Plugin: its name, or its folder with a slash; absent: the plugin that holds the file.",
  ),
  tests: z.array(testSchema).min(1).max(500).describe("Tests, run one after the other."),
});

export type HookTestText = z.infer<typeof testSchema>;
export type HookExpectation = z.infer<typeof expectSchema>;

/** JSON Schema 2020-12 of `*.hooks.yaml`. */
export function hookTestJsonSchema(): string {
  const { $schema, ...rest } = z.toJSONSchema(hookTestSchema, {
    io: "input",
    unrepresentable: "any",
    reused: "ref",
  });
  const schema = { $schema, title: "Tests of hooks of the Plugin Test Harness", ...rest };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}
