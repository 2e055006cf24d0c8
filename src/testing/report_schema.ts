/** The published JSON report, `pth-report/1` (docs/report.schema.json is made from this). Durations are milliseconds. */
import { z } from "zod";

const duration = z.number().nonnegative();
const count = z.int().nonnegative();

const reportTest = z.strictObject({
  name: z.string(),
  tier: z.union([z.literal(1), z.literal(2), z.literal(3)]),
  tool: z.string().optional(),
  status: z.enum(["passed", "failed", "skipped", "flaky"]),
  category: z.string().optional().describe("Kind of failure, for example runtime-exception"),
  note: z.string().optional().describe("Reason of a skip, or what else is to be known"),
  duration_ms: duration,
  message: z.string().optional().describe("What failed; its first line stands alone"),
  file: z.string().optional(),
  line: z.int().positive().optional(),
  generated_from: z.enum(["schema", "source_analysis", "documentation", "config", "manual"]),
});

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
  environment: z.strictObject({
    runtime: z.string(),
    tier: z.union([z.literal(1), z.literal(2), z.literal(3)]),
    image: z.string(),
    reason: z.string().describe("Why this runtime and image"),
  }).optional().describe("Absent when no environment came up"),
  summary: z.strictObject({
    total: count,
    passed: count,
    failed: count,
    skipped: count,
    flaky: count,
    duration_ms: duration,
  }),
  tests: z.array(reportTest),
  findings: z.array(reportFinding),
  timings: z.strictObject({
    provision_ms: duration.optional(),
    install_ms: duration.optional(),
    build_ms: duration.optional(),
    start_ms: duration.optional(),
    suite_ms: duration.optional(),
  }),
  notes: z.array(z.string()),
  exit_code: z.int().describe(
    "0 passed, 1 tests failed, 2 wrong use, 3 could not start, 130/143 interrupted",
  ),
  error: z.strictObject({ code: z.string(), message: z.string(), output: z.string().optional() }).optional()
    .describe("Why the run ended before its tests did"),
}).meta({ id: "pth-report/1", title: "Report of one `pth run`" });

export type Report = z.infer<typeof reportSchema>;

/** The schema as JSON Schema text, the content of docs/report.schema.json. */
export const reportJsonSchema = (): string => JSON.stringify(z.toJSONSchema(reportSchema), null, 2) + "\n";
