/** Findings, which fail no test, as programs get them. */
import { z } from "zod";

export const findingsSchema = z.array(z.object({
  severity: z.enum(["error", "warning", "info"]),
  code: z.string(),
  tool: z.string().optional(),
  message: z.string(),
}));
