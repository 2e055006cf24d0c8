/** Drift of an environment as programs get it, and what a new one showed. */
import { z } from "zod";
import { suiteCounts } from "./suite_counts.ts";

const change = z.object({
  group: z.string(),
  change: z.enum(["added", "removed", "changed"]),
  name: z.string(),
  detail: z.string().optional(),
  diff: z.string().optional(),
  byLoad: z.boolean().optional().describe("Came with the plugin's load."),
});

const results = z.array(z.object({ id: z.string(), name: z.string(), message: z.string().optional() }));

export const driftSchema = z.object({
  driftUnknown: z.string().optional().describe("Why there is no comparison; then nothing of it is here."),
  drifted: z.boolean().optional(),
  total: z.number().optional().describe("All changes; without detail the first of them follow."),
  changes: z.array(change).optional(),
  ignored: z.array(z.object({ what: z.string(), why: z.string(), count: z.number() })).optional(),
  unseen: z.array(z.object({ what: z.string(), why: z.string() })).optional(),
  verification: z.object({
    summary: suiteCounts,
    compared: z.number().describe("Tests that have a result from before."),
    onlyDirty: results.describe("Passed only in the old environment."),
    onlyClean: results.describe("Failed only in the old environment."),
    failed: results,
    leftOut: z.record(z.string(), z.number()).optional().describe("Rows left out, by list."),
  }).optional(),
});
