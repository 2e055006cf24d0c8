/** Progress of the loop, as structured answers have it. */
import { z } from "zod";
import { shownDetail } from "./detail.ts";
import { failureGroup, leftOut } from "./diagnosis.ts";
import { convergence, iterationRecord, standing } from "./iteration.ts";

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
  convergence,
  groups: z.array(failureGroup).describe("Failures as they were diagnosed last."),
  standing: standing.exactOptional(),
  leftOut: leftOut.exactOptional(),
  operations: z.record(
    z.string(),
    z.object({ count: z.number(), lastMs: z.number(), totalMs: z.number(), longestMs: z.number() }),
  ),
  shown: z.array(shownDetail).exactOptional().describe("With show: in that order."),
});
