/** One test of a report: what it did, and what came of it. */
import { z } from "zod";
import { testSources } from "../../../../machines/model/test_case.ts";
import { countSchema, durationSchema, line, shareSchema } from "./amount_schemas.ts";

const step = z.strictObject({
  action: z.enum(["call", "read_resource", "subscribe", "get_prompt", "wait_for"]),
  target: z.string().describe("Tool, URI, prompt or notification"),
  input: z.record(z.string(), z.unknown()).optional(),
  captures: z.array(z.string()).optional().describe("Variables that the step sets"),
  status: z.enum(["passed", "failed", "not_run"]).optional().describe("Absent where that is not known"),
  line: line.optional(),
});

const flakiness = z.strictObject({
  attempts: countSchema.describe("Of this run, the first one included"),
  failures: countSchema,
  rate: shareSchema.describe("Failures by runs over the known history, this run included"),
  runs: countSchema,
  confidence: shareSchema.describe("How sure it is that the differing outcomes are no chance"),
});

export const reportTest = z.strictObject({
  id: z.string().optional().describe("Unique in the suite"),
  entry: z.string().optional().describe("Environment of the matrix that it ran in"),
  name: z.string(),
  description: z.string().optional(),
  tier: z.union([z.literal(1), z.literal(2), z.literal(3)]),
  tool: z.string().optional(),
  tools: z.array(z.string()).optional().describe("All tools that a test of several steps calls"),
  status: z.enum(["passed", "failed", "skipped", "flaky"]),
  category: z.string().optional().describe("Kind of failure, for example runtime-exception"),
  note: z.string().optional().describe("Reason of a skip, or what else is to be known"),
  started_at: z.iso.datetime().optional(),
  duration_ms: durationSchema,
  message: z.string().optional().describe("What failed; its first line stands alone"),
  expected: z.unknown().optional(),
  actual: z.unknown().optional(),
  input: z.record(z.string(), z.unknown()).optional(),
  steps: z.array(step).optional(),
  prompt: z.string().optional().describe("Tier 3: what an agent was to do"),
  checklist: z.array(z.string()).optional(),
  stderr: z.string().optional().describe("Last lines of the server's stderr, for a failure"),
  flakiness: flakiness.optional(),
  tags: z.array(z.string()).optional(),
  file: z.string().optional(),
  line: line.optional(),
  generated_from: z.enum(testSources),
  origin: z.string().optional().describe("Why a generated test was proposed, and from what"),
});

export type ReportTest = z.infer<typeof reportTest>;
export type ReportStep = z.infer<typeof step>;
