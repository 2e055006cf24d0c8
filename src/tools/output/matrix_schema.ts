/** The verification on several distributions as structured answers have it. */
import { z } from "zod";
import { diagnosisReport } from "./diagnosis.ts";
import { testStatusSchema } from "./iteration.ts";

const entry = z.object({
  name: z.string(),
  distro: z.string(),
  state: z.enum(["passed", "failed", "broken", "cancelled"]),
  environment: z.object({ id: z.string(), runtime: z.string(), image: z.string(), os: z.string() })
    .exactOptional(),
  summary: z.object({
    total: z.number(),
    passed: z.number(),
    failed: z.number(),
    skipped: z.number(),
    flaky: z.number(),
  }).exactOptional(),
  durationMs: z.number(),
  error: z.object({ code: z.string(), message: z.string(), next: z.array(z.string()) }).exactOptional(),
  untestedFixes: z.number().exactOptional().describe("Fixes made elsewhere since it passed."),
});

/** A test that does not pass everywhere. */
const difference = z.object({
  id: z.string(),
  name: z.string(),
  statuses: z.record(z.string(), z.string()),
  failsOn: z.array(z.string()),
  everywhere: z.boolean(),
  cause: z.object({ message: z.string(), place: z.string().exactOptional() }).exactOptional(),
});

export const matrixSchema = z.object({
  state: z.enum(["complete", "awaiting_fixes", "failed", "cancelled"]),
  at: z.string().exactOptional().describe("The entry that the environment is of."),
  matrix: z.object({ entries: z.array(entry), differences: z.array(difference) }),
  differences: z.number().exactOptional().describe("How many, where not all are given."),
  fixes: z.array(z.object({ commit: z.string(), title: z.string(), distro: z.string().exactOptional() })),
  primaryVerified: z.boolean().exactOptional(),
  iteration: z.number().exactOptional(),
  standing: testStatusSchema.exactOptional(),
  diagnosis: diagnosisReport.exactOptional().describe("With awaiting_fixes."),
});
