/** The counts of a suite, of the whole report or of one environment of its matrix. */
import { z } from "zod";
import { countSchema, durationSchema } from "./amount_schemas.ts";

export const reportSummary = z.strictObject({
  total: countSchema,
  passed: countSchema,
  failed: countSchema,
  skipped: countSchema,
  flaky: countSchema,
  duration_ms: durationSchema,
});
