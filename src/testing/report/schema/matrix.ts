/** The matrix of a report: where the tests ran, and what differed. */
import { z } from "zod";
import { countSchema, durationSchema } from "./amount_schemas.ts";
import { reportSummary } from "./summary.ts";

const fix = z.strictObject({
  commit: z.string(),
  title: z.string(),
  distro: z.string().optional().describe("Only meant for this distribution (trailer PTH-Distro)"),
});

const entry = z.strictObject({
  name: z.string().describe("Unique; tests of it have it in `entry`"),
  distro: z.string(),
  runtime: z.string().optional().describe("As asked for"),
  image: z.string().optional().describe("As asked for"),
  state: z.enum(["passed", "failed", "broken", "cancelled"])
    .describe("broken: it could not be provisioned, or the plugin does not load there"),
  environment: z.strictObject({
    id: z.string().describe("Of the environment that the tests really ran in"),
    runtime: z.string(),
    image: z.string(),
    os: z.string(),
  }).optional(),
  summary: reportSummary.optional(),
  duration_ms: durationSchema,
  error: z.strictObject({ code: z.string(), message: z.string(), next: z.array(z.string()) }).optional(),
  failed_first: z.array(z.string()).optional().describe(
    "Where fixes are made: ids of tests that failed at first",
  ),
  fixes: z.array(fix).optional().describe("Made there"),
  untested_fixes: countSchema.optional().describe("Made elsewhere since it passed"),
});

const difference = z.strictObject({
  id: z.string(),
  name: z.string(),
  statuses: z.array(
    z.strictObject({ entry: z.string(), status: z.enum(["passed", "failed", "skipped", "flaky"]) }),
  ),
  fails_on: z.array(z.string()),
  everywhere: z.boolean().describe("It fails wherever it ran: the fault is no distribution's own"),
  cause: z.strictObject({
    category: z.string().optional(),
    message: z.string(),
    place: z.string().optional().describe("file:line in the plugin"),
  }).optional(),
});

export const reportMatrix = z.strictObject({ entries: z.array(entry), differences: z.array(difference) })
  .describe("Absent where the tests ran in one environment");

export type ReportMatrix = z.infer<typeof reportMatrix>;
