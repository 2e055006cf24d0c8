/** The published JSON report, `pth-report/1` (docs/report.schema.json is made from this). Durations are milliseconds. */
import { z } from "zod";
import { countSchema, durationSchema } from "./schema/amount_schemas.ts";
import { reportContract } from "./schema/contract.ts";
import { reportCoverage, reportImpact } from "./schema/coverage.ts";
import { reportMatrix } from "./schema/matrix.ts";
import { reportPerformance, reportTokenCost } from "./schema/performance.ts";
import { reportSummary } from "./schema/summary.ts";
import { reportTest } from "./schema/test.ts";

const reportFinding = z.strictObject({
  severity: z.enum(["error", "warning", "info"]),
  code: z.string(),
  tool: z.string().optional(),
  message: z.string(),
});

export const reportSchema = z.strictObject({
  schema: z.literal("pth-report/1"),
  plugin: z.strictObject({
    name: z.string(),
    version: z.string().optional(),
    source: z.string().describe("As the user gave it: a folder, npm:<package>, a command or a URL"),
  }),
  server: z.strictObject({
    name: z.string(),
    version: z.string(),
    protocol_version: z.string(),
    tools: countSchema,
  }).optional().describe("Absent when the server never started"),
  environment: z.strictObject({
    runtime: z.string(),
    tier: z.union([z.literal(1), z.literal(2), z.literal(3)]),
    image: z.string(),
    reason: z.string().describe("Why this runtime and image"),
    network: z.string().optional().describe("Which network it had"),
  }).optional().describe("Absent when no environment came up"),
  started_at: z.iso.datetime().optional(),
  duration_ms: durationSchema.optional().describe("Of the whole run"),
  strict: z.boolean().optional().describe("Findings of one kind were failures"),
  seed: z.number().optional().describe("What everything drawn was drawn from"),
  shard: z.strictObject({ index: z.int().positive(), of: z.int().positive() }).optional()
    .describe("This report is of one part of the suite"),
  summary: reportSummary,
  tests: z.array(reportTest),
  findings: z.array(reportFinding),
  coverage: reportCoverage.optional(),
  impact: reportImpact.optional(),
  performance: reportPerformance.optional(),
  token_cost: reportTokenCost.optional(),
  contract: reportContract.optional(),
  matrix: reportMatrix.optional(),
  timings: z.strictObject({
    provision_ms: durationSchema.optional(),
    install_ms: durationSchema.optional(),
    build_ms: durationSchema.optional(),
    start_ms: durationSchema.optional(),
    suite_ms: durationSchema.optional(),
  }),
  notes: z.array(z.string()),
  exit_code: z.int().describe(
    "0 passed, 1 tests failed, 2 wrong use, 3 could not start, 130/143 interrupted",
  ),
  error: z.strictObject({ code: z.string(), message: z.string(), output: z.string().optional() }).optional()
    .describe("Why the run ended before its tests did"),
}).meta({ id: "pth-report/1", title: "Report of one `pth run`" });

export type Report = z.infer<typeof reportSchema>;
export type ReportFinding = Report["findings"][number];

/** The schema as JSON Schema text, the content of docs/report.schema.json. */
export const reportJsonSchema = (): string => JSON.stringify(z.toJSONSchema(reportSchema), null, 2) + "\n";
