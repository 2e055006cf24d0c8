/**
 * Schema 2.0 of the report of one agent test, docs/fixture-report.schema.json; and of a run of fixtures,
 * docs/fixture-run-report.schema.json. Durations are milliseconds, times ISO 8601.
 */
import * as z from "zod";
import { agentStops } from "../../../machines/model/agent_session.ts";

const durationSchema = z.number().nonnegative();
const countSchema = z.int().nonnegative();
const timeSchema = z.iso.datetime();
const lineSchema = z.int().positive();
const statusSchema = z.enum(["pass", "fail", "partial"]);
const rateSchema = z.string().regex(/^\d+\/\d+$/).describe("Expectations that were met, of all: 4/7");

const metaSchema = z.strictObject({
  test_id: z.string().describe("Unique in the fixture"),
  test_name: z.string(),
  description: z.string(),
  timestamp: timeSchema.describe("When the test ran"),
  duration_ms: durationSchema,
  status: statusSchema.describe("Without expectations: pass. A session that did not go as planned: fail"),
  pass_rate: rateSchema,
  tags: z.array(z.string()),
  fixture: z.string(),
  plugin: z.string().describe("The plugin's folder"),
  file: z.string().describe("File in which the test is written"),
  line: lineSchema,
  agent_version: z.string().optional(),
  stopped: z.enum(agentStops).optional().describe("Why the agent was stopped; timed-out: it took too long"),
  attempts: z.int().positive().optional().describe("How often it ran, where it ran again after a failure"),
});

const gitStateSchema = z.strictObject({
  branch: z.string().describe("Branch that the project began with, else the one of the fixture's repository"),
  commit: z.string(),
  modified_files: z.array(z.string()).describe("Files of that repository that were not as committed"),
}).describe("Empty texts where there is no repository");

const reproduceSchema = z.strictObject({
  setup_commands: z.array(z.string()).describe("Shell commands for an empty folder, in order"),
  test_command: z.string(),
  cleanup_commands: z.array(z.string()),
  environment: z.record(z.string(), z.string()).describe("Variables that must be set"),
  git_state: gitStateSchema,
  notes: z.array(z.string()).optional().describe("What the commands need, and what they do not repeat"),
});

const executionSchema = z.strictObject({
  prompt: z.string(),
  model: z.string().describe("As asked for; empty: the agent's own"),
  tools_allowed: z.array(z.string()).describe("The agent's own tools that it was given; empty: all"),
  session_id: z.string().describe("The agent's own; empty: it tells none"),
  token_usage: z.strictObject({ input: countSchema, output: countSchema, total: countSchema })
    .describe("As the model's answers told; a playbook's cost none unless it says so"),
  agent: z.string(),
  timeout_ms: durationSchema,
  playbook: z.boolean().describe("A playbook answered in the model's place"),
});

const expectationSchema = z.strictObject({
  id: z.string(),
  description: z.string(),
  type: z.string().describe(
    "tool_call, hook_event, subagent_event, output_contains …; session: the session did not go as planned",
  ),
  status: z.enum(["pass", "fail"]),
  expected: z.record(z.string(), z.unknown()).describe("As its type has it"),
  actual: z.unknown().describe("As its type has it; null where nothing was found"),
  matched_at: z.strictObject({
    sequence: z.int().positive().describe("Entry of the timeline"),
    timestamp: timeSchema,
  }).optional().describe("Where the match is, if it passed and has a place"),
  failure_reason: z.string().optional().describe("Why it failed, with the nearest miss"),
  line: lineSchema.optional().describe("Line of the test's file; absent: that of the test"),
});

const hookSchema = z.strictObject({
  event: z.string(),
  failed: z.string().optional().describe("How a hook failed"),
});

const entryKeys = {
  seq: z.int().positive(),
  timestamp: timeSchema,
  duration_ms: durationSchema.optional().describe("Absent where it is not known"),
  intent: z.string().describe("Inferred purpose"),
  hooks: z.array(hookSchema).optional().describe("Hooks that ran for it"),
};

const contentKeys = {
  content: z.string(),
  content_preview: z.string(),
  content_length: countSchema.describe("Characters of the whole content, also where `content` was cut"),
};

const laneSchema = z.string().describe("main, or the subagent's");

const promptEntrySchema = z.strictObject({ ...entryKeys, type: z.literal("prompt"), ...contentKeys });

const toolCallEntrySchema = z.strictObject({
  ...entryKeys,
  type: z.literal("tool_call"),
  tool: z.string(),
  input: z.record(z.string(), z.unknown()),
  output: z.strictObject({
    stdout: z.string().describe("Result, if it is no error: what the model was told"),
    stderr: z.string().describe("Result, if it is an error"),
    exit_code: z.int().optional().describe("Of shell commands"),
  }).optional().describe("Absent where no result came"),
  is_error: z.boolean().optional().describe("Absent where the agent does not tell it"),
  lane: laneSchema,
  subagent: z.string().optional().describe("Type of the subagent that the call started"),
});

const responseEntrySchema = z.strictObject({
  ...entryKeys,
  type: z.literal("response"),
  ...contentKeys,
  lane: laneSchema,
  thinking: z.string().optional(),
  error: z.string().optional().describe("Error in place of an answer"),
});

const timelineEntrySchema = z.discriminatedUnion("type", [
  promptEntrySchema,
  toolCallEntrySchema,
  responseEntrySchema,
]);

const debugSchema = z.strictObject({
  pytest_output: z.string().describe("What the runner tells of the test; the name is the schema's"),
  pytest_status: z.enum(["pass", "fail"]),
  raw_trace_file: z.string().describe("Path of the trace; empty: none was written"),
  warnings: z.array(z.string()).optional(),
  exit_code: z.int().nullable().optional().describe("Of the agent; null: it was killed"),
  stderr: z.string().optional().describe("Last part of what the agent wrote there"),
  trace: z.unknown().optional().describe("The trace, pth-agent-trace/1, unless it is long"),
});

export const testReportSchema = z.strictObject({
  schema_version: z.literal("2.0"),
  meta: metaSchema,
  reproduce: reproduceSchema,
  execution: executionSchema,
  expectations: z.array(expectationSchema),
  timeline: z.array(timelineEntrySchema),
  side_effects: z.strictObject({
    files_created: z.array(z.string()),
    files_modified: z.array(z.string()),
    files_deleted: z.array(z.string()),
    git_changes: z.boolean().describe("Whether commits, branches, tags or stashes of the project changed"),
  }),
  claude_response: z.strictObject({
    preview: z.string(),
    full_text: z.string(),
    word_count: countSchema,
  }).describe("The agent's last words; empty: none"),
  debug: debugSchema.optional(),
  agent_assessment: z.string().optional().describe("Judgement of a reader, person or agent, in Markdown"),
});

const summarySchema = z.strictObject({
  total: countSchema.describe("Tests, skipped ones included"),
  pass: countSchema,
  partial: countSchema,
  fail: countSchema,
  skipped: countSchema,
  pass_rate: rateSchema.describe("Expectations that were met, of all tests that ran"),
});

const skippedSchema = z.strictObject({
  test_id: z.string(),
  test_name: z.string(),
  tags: z.array(z.string()),
  reason: z.string(),
  file: z.string(),
  line: lineSchema,
});

const earlierSchema = z.strictObject({
  started_at: timeSchema,
  duration_ms: durationSchema,
  summary: summarySchema,
  statuses: z.record(z.string(), z.enum(["pass", "fail", "partial", "skipped"])).describe(
    "Status of each test by `<fixture>/<test id>`",
  ),
});

export const fixtureRunReportSchema = z.strictObject({
  schema: z.literal("pth-fixture-run/1"),
  started_at: timeSchema,
  duration_ms: durationSchema.describe("From the start of the first test to the end of the last"),
  status: statusSchema.describe(
    "pass: some tests ran, all of them passed, and there are no errors; fail: none passed",
  ),
  summary: summarySchema,
  fixtures: z.array(z.strictObject({
    name: z.string(),
    description: z.string(),
    plugin: z.string(),
    summary: summarySchema,
    tests: z.array(testReportSchema),
    skipped: z.array(skippedSchema),
  })),
  earlier: z.array(earlierSchema).describe("Earlier runs, the oldest first"),
  errors: z.array(z.string()).describe("Why fixtures did not run, or not to their end"),
  notes: z.array(z.string()),
});

export type TestReport = z.infer<typeof testReportSchema>;
export type TimelineEntry = z.infer<typeof timelineEntrySchema>;
export type FixtureRunReport = z.infer<typeof fixtureRunReportSchema>;
export type EarlierRun = z.infer<typeof earlierSchema>;
export type RunSummary = z.infer<typeof summarySchema>;
export type SkippedReport = z.infer<typeof skippedSchema>;

const jsonSchemaOf = (schema: z.ZodType, title: string): string => {
  const { $schema, ...rest } = z.toJSONSchema(schema, { unrepresentable: "any", reused: "ref" });
  return `${JSON.stringify({ $schema, title, ...rest }, undefined, 2)}\n`;
};

/** JSON Schema 2020-12 of the report of one test. */
export const testReportJsonSchema = (): string =>
  jsonSchemaOf(testReportSchema, "Report 2.0 of an agent test of the Plugin Test Harness");

/** JSON Schema 2020-12 of the report of a run of fixtures. */
export const fixtureRunReportJsonSchema = (): string =>
  jsonSchemaOf(fixtureRunReportSchema, "Report of a run of fixtures of the Plugin Test Harness");
