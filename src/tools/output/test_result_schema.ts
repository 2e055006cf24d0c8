/** Results of tests in structured answers. */
import { unmetNeeds } from "../../../machines/model/tool_exercise.ts";
import * as z from "zod";
import { testSources } from "../../../machines/model/test_case.ts";
import { tierField } from "../fields.ts";

export const generatedFrom = z.enum(testSources);

export const findingSchema = z.object({
  severity: z.enum(["error", "warning", "info"]),
  code: z.string(),
  tool: z.string().exactOptional(),
  message: z.string(),
});

const status = z.enum(["passed", "failed", "skipped", "flaky"]);

const category = z.enum([
  "build-failure",
  "runtime-exception",
  "schema-violation",
  "wrong-output",
  "missing-side-effect",
  "unexpected-side-effect",
  "timeout",
  "protocol-error",
  "dependency-error",
]);

/** A result that needs no explanation, or of a list that was cut. */
const briefResult = z.object({
  id: z.string(),
  name: z.string(),
  status,
  note: z.string().exactOptional(),
});

export const testResultSchema = z.object({
  ...briefResult.shape,
  tier: tierField,
  tool: z.string().exactOptional(),
  generatedFrom,
  category: category.exactOptional(),
  message: z.string().exactOptional(),
  expected: z.unknown().exactOptional(),
  actual: z.unknown().exactOptional(),
  findings: z.array(findingSchema).readonly(),
  checklist: z.array(z.object({ item: z.string(), met: z.boolean(), evidence: z.string() })).exactOptional(),
  failedStep: z.number().int().exactOptional().describe("Index from 0."),
  durationMs: z.number(),
  startedAt: z.number().describe("Milliseconds since the epoch."),
  file: z.string().exactOptional(),
  line: z.number().int().exactOptional(),
  flakiness: z.object({
    attempts: z.number().int(),
    failures: z.number().int(),
    rate: z.number(),
    runs: z.number().int(),
    confidence: z.number(),
  }).exactOptional(),
  hang: z.object({ kind: z.string(), says: z.string(), threads: z.array(z.unknown()) }).exactOptional(),
  stderrTail: z.string().exactOptional(),
  commit: z.string().exactOptional(),
  environmentId: z.string().exactOptional(),
});

const suiteSummary = z.object({
  total: z.number().int(),
  passed: z.number().int(),
  failed: z.number().int(),
  skipped: z.number().int(),
  flaky: z.number().int(),
  durationMs: z.number(),
});

/** Results that are older than the code. */
export const staleResultsSchema = z.object({
  results: z.number().int(),
  stale: z.number().int(),
  commit: z.string().exactOptional(),
  behind: z.number().int(),
  loadError: z.string().exactOptional(),
});

export const omittedRows = z.number().int().exactOptional().describe(
  "Rows beyond those listed; detail has them.",
);

export const exerciseSchema = z.object({
  tool: z.string(),
  state: z.enum(["exercised", "failing", "refused", "excluded", "not_reached"]),
  needs: z.enum(unmetNeeds).exactOptional(),
  reason: z.string().exactOptional(),
});

export const resultsSchema = z.object({
  summary: suiteSummary,
  stale: staleResultsSchema.exactOptional(),
  results: z.array(z.union([testResultSchema, briefResult])).readonly().describe(
    "Failures first and in full.",
  ),
  leftOut: omittedRows,
  findings: z.array(findingSchema).readonly(),
});
