/** The loop as structured answers have it. */
import * as z from "zod";
import { diagnosisReport, omittedByList } from "./diagnosis.ts";

const names = z.array(z.string());

/** Standing of the tests at one moment, in figures. */
const figures = z.object({
  total: z.number(),
  passed: z.number(),
  skipped: z.number(),
  failed: z.number(),
  flaky: z.number().exactOptional().describe("Of those that passed."),
  stale: z.number().exactOptional().describe("Results that are older than the newest fix."),
  loadError: z.string().exactOptional().describe("Why the plugin does not run."),
});

export const testStatusSchema = figures.extend({
  failing: z.array(z.object({
    id: z.string(),
    name: z.string(),
    tool: z.string().exactOptional(),
    category: z.string().exactOptional(),
  })),
});

export const iterationRecord = z.object({
  number: z.number(),
  distro: z.string().exactOptional(),
  at: z.string().describe("ISO time."),
  before: figures,
  after: figures,
  mended: names,
  broken: names,
  appeared: names.describe("Fail now and had no result before."),
  shortened: z.literal(true).exactOptional().describe("Only figures are kept."),
  groups: z.array(z.object({ id: z.string(), cause: z.string(), tests: z.number() })),
  fixes: z.array(z.object({ commit: z.string(), title: z.string(), files: names })),
  refused: z.array(z.object({ title: z.string(), reason: z.string() })),
  newTests: z.number(),
  health: names.describe("Problems of the environment."),
  leftOut: omittedByList.exactOptional(),
});

const trends = ["untested", "green", "improving", "plateau", "oscillating", "regressing"] as const;

export const convergenceSchema = z.object({
  trend: z.enum(trends),
  progress: z.array(z.number()).describe("Tests that pass: before the first iteration, then after each."),
  totals: z.array(z.number()),
  total: z.number(),
  stale: z.number().describe("Iterations without progress."),
  reason: z.string(),
  suggestion: z.string().exactOptional(),
  distros: z.array(z.object({ distro: z.string(), passed: z.number(), total: z.number() })).exactOptional(),
});

export const iterationOutcome = z.object({
  state: z.enum(["green", "awaiting_fixes", "stopped"]),
  reason: z.enum(["max_iterations", "no_progress", "cancelled"]).exactOptional(),
  iteration: z.number(),
  records: z.array(iterationRecord),
  convergence: convergenceSchema,
  standing: testStatusSchema,
  fixes: z.array(z.object({
    commit: z.string(),
    title: z.string(),
    category: z.string().exactOptional(),
    tests: names,
    files: names,
  })),
  leftOut: omittedByList.exactOptional(),
  diagnosis: diagnosisReport.exactOptional().describe("With awaiting_fixes."),
});
