/** The counts of a run of tests. */
import { z } from "zod";

export const suiteCounts = z.object({
  total: z.number(),
  passed: z.number(),
  failed: z.number(),
  skipped: z.number(),
  flaky: z.number(),
  durationMs: z.number(),
});
