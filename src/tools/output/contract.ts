/** Contracts, findings and cost as programs get them. */
import * as z from "zod";

export const contractCheck = z.object({
  baseline: z.string().optional().describe("File compared with; absent where there is none."),
  changes: z.array(z.object({
    impact: z.enum(["breaking", "notice", "compatible"]),
    code: z.string(),
    path: z.string(),
    message: z.string(),
  })),
  breaking: z.number(),
  tools: z.number(),
  saved: z.object({ path: z.string(), commit: z.string().optional() }).optional(),
  leftOut: z.number().optional().describe("Changes left out."),
});

export const tokenCost = z.object({
  tokenizer: z.string(),
  list: z.object({ bytes: z.number(), tokens: z.number() }),
  tools: z.array(z.object({ tool: z.string(), bytes: z.number(), tokens: z.number() })),
  answers: z.array(
    z.object({ tool: z.string(), calls: z.number(), medianTokens: z.number(), maxTokens: z.number() }),
  ),
  instructions: z.object({ bytes: z.number(), tokens: z.number() }).optional(),
});
