/** Progress of the loop, as structured answers have it. */
import { z } from "zod";
import { shownDetail } from "./shown_detail.ts";
import { failureGroup, omittedByList } from "./diagnosis.ts";
import { convergenceSchema, iterationRecord, testStatusSchema } from "./iteration.ts";

const phases = [
  "idle",
  "testing",
  "diagnosing",
  "awaiting fixes",
  "fixing",
  "reloading",
  "retesting",
  "confirming",
  "recording",
] as const;

export const iterationStatus = z.object({
  iteration: z.number().describe("Under way, else the latest; 0 before the first."),
  phase: z.enum(phases),
  records: z.array(iterationRecord),
  convergence: convergenceSchema,
  groups: z.array(failureGroup).describe("Failures as they were diagnosed last."),
  standing: testStatusSchema.exactOptional(),
  leftOut: omittedByList.exactOptional(),
  operations: z.record(
    z.string(),
    z.object({ count: z.number(), lastMs: z.number(), totalMs: z.number(), longestMs: z.number() }),
  ),
  shown: z.array(shownDetail).exactOptional().describe("With show: in that order."),
});
