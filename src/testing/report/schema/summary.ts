/** The counts of a suite, of the whole report or of one environment of its matrix. */
import { z } from "zod";
import { count, duration } from "./amounts.ts";

export const reportSummary = z.strictObject({
  total: count,
  passed: count,
  failed: count,
  skipped: count,
  flaky: count,
  duration_ms: duration,
});
