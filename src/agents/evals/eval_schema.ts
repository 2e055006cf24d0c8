/** Schemas of eval files, as Claude Code 2.1.330 has them. */
import * as z from "zod";
import { mostEvalRuns } from "../../../machines/model/eval_request.ts";
import { patternSchema } from "../../testing/match/text_matches.ts";

const text = z.string();
const strings = z.array(text);
const weight = z.number().positive().default(1);
const arm = z.enum(["with-only", "both"]).optional();
const head = { name: text.min(1), weight, arm };

const target = z.union([
  z.enum(["trace", "last_message", "files", "mock_calls"]),
  z.strictObject({ source: z.literal("file"), path: text.min(1) }),
], { error: "expected trace, last_message, files, mock_calls, or a map with source: file and path" });

const call = z.union([
  text.min(1).transform((tool) => ({ tool, input_match: undefined })),
  z.strictObject({ tool: text.min(1), input_match: patternSchema.optional() }),
], { error: "expected a tool, or a map of tool and input_match" });

const times = z.number().int().min(0).optional();

/** Graders by their type. */
export const graderSchemas = {
  regex: z.strictObject({
    type: z.literal("regex"),
    ...head,
    target: target.default("last_message"),
    pattern: patternSchema,
    flags: text.regex(/^[dgimsuvy]*$/, "expected flags of a JavaScript regular expression").default(""),
    match: text.regex(/^(?:contains|not_contains|count:\d+)$/, "expected contains, not_contains or count:N")
      .default("contains"),
  }).superRefine(({ pattern, flags }, context) => {
    // A pattern that is none with any flags was told.
    if (!patternSchema.safeParse(pattern).success) return;
    try {
      new RegExp(pattern, flags);
    } catch (error) {
      const message = `expected a regular expression with such flags: ${(error as Error).message}`;
      context.addIssue({ code: "custom", message, path: ["pattern"] });
    }
  }),
  tool_order: z.strictObject({ type: z.literal("tool_order"), ...head, before: call, after: call }),
  tool_used: z.strictObject({
    type: z.literal("tool_used"),
    ...head,
    tool: text.min(1),
    input_match: patternSchema.optional(),
    min: times,
    max: times,
  }),
  file_exists: z.strictObject({
    type: z.literal("file_exists"),
    ...head,
    path: text.min(1),
    exists: z.boolean().default(true),
  }),
  llm: z.strictObject({
    type: z.literal("llm"),
    ...head,
    criteria: text.min(1),
    focus: target.default("last_message"),
  }),
  baseline: z.strictObject({
    type: z.literal("baseline"),
    ...head,
    baseline_file: text.min(1),
    criteria: text.min(1),
  }),
} as const;

/** Key that the text below the front matter of a grader's file is. */
export const bodyKeys: Record<string, string> = { llm: "criteria", baseline: "criteria", regex: "pattern" };

const executionKeys = {
  max_turns: z.number().int().positive().max(200).optional(),
  timeout_seconds: z.number().int().positive().max(3600).optional(),
  model: text.min(1).optional(),
  allowed_tools: strings.optional(),
  disallowed_tools: strings.optional(),
  artifact_publish: z.boolean().optional(),
  growthbook_overrides: z.record(text, z.unknown()).optional(),
  append_system_prompt: text.optional(),
  env: z.record(text, text).optional(),
};

const caseKeys = {
  schema_version: text.regex(/^[01](?:\.\d+)*$/, "expected a version up to 1.x, in quotes").optional(),
  name: text.min(1).optional(),
  description: text.optional(),
  tags: strings.optional(),
  plugins: strings.optional(),
  runs: z.number().int().positive().max(mostEvalRuns).optional(),
  expected_outcome: text.optional(),
};

/** Front matter of `prompt.md`; Claude Code takes no other keys. */
export const promptSchema = z.strictObject({ ...caseKeys, ...executionKeys });

/** `case.yaml` without its graders; Claude Code ignores other keys. */
export const caseSchema = z.looseObject({
  ...caseKeys,
  schema_version: text.regex(/^[01](?:\.\d+)*$/, "expected a version up to 1.x, in quotes"),
  context: z.looseObject({
    scaffold_script: text.optional(),
    history_file: text.optional(),
    add_dirs: strings.optional(),
  }).optional(),
  execution: z.looseObject({ prompt: text.optional(), ...executionKeys }).optional(),
});

export const executionKeyNames: readonly string[] = Object.keys(executionKeys);
