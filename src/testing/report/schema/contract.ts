/** What a server offers beside the contract that its plugin keeps. */
import { z } from "zod";
import { countSchema } from "./amount_schemas.ts";

export const reportContract = z.strictObject({
  baseline: z.string().optional().describe("The file compared with; absent where there is none"),
  changes: z.array(
    z.strictObject({
      impact: z.enum(["breaking", "notice", "compatible"]),
      code: z.string(),
      path: z.string(),
      message: z.string(),
    }),
  ),
  breaking: countSchema,
  tools: countSchema,
  saved: z.strictObject({ path: z.string(), commit: z.string().optional() }).optional(),
});

export type ReportContract = z.infer<typeof reportContract>;
