/** What calls cost: time, memory, disk, and a model's context. */
import { z } from "zod";
import { countSchema, durationSchema } from "./amount_schemas.ts";

const size = z.number().nonnegative();

const percentiles = z.strictObject({
  count: countSchema,
  min: size,
  p50: size,
  p95: size,
  p99: size,
  max: size,
});

const tokens = z.strictObject({ bytes: size, tokens: size });

export const reportTokenCost = z.strictObject({
  tokenizer: z.string(),
  list: tokens.describe("The whole answer to tools/list"),
  tools: z.array(z.strictObject({ tool: z.string(), bytes: size, tokens: size })),
  answers: z.array(
    z.strictObject({ tool: z.string(), calls: countSchema, median_tokens: size, max_tokens: size }),
  ),
  instructions: tokens.optional(),
});

const tool = z.strictObject({
  tool: z.string(),
  response_ms: percentiles,
  errors: countSchema,
  throughput: z.strictObject({ calls_per_second: size, response_ms: percentiles, in_flight: countSchema })
    .optional(),
  cpu_ms_per_call: size.optional(),
  memory_peak_bytes: size.optional(),
  memory_peak_growth_bytes: z.number().optional(),
  memory_growth_bytes: z.number().optional(),
  disk_read_bytes: size.optional(),
  disk_written_bytes: size.optional(),
  side_effects: z.strictObject({
    files: size,
    bytes: size,
    rewritten: size,
    rewritten_files: z.array(z.string()).optional(),
  }).optional(),
  answer_bytes: percentiles,
});

export const reportPerformance = z.strictObject({
  calls: countSchema.describe("Of each tool"),
  tools: z.array(tool),
  outliers: z.array(
    z.strictObject({
      tool: z.string(),
      dimension: z.string(),
      value: z.number(),
      usual: z.number().describe("The median of the other tools, or what a plain call costs"),
      message: z.string(),
    }),
  ),
  unmeasured: z.array(z.strictObject({ tool: z.string(), reason: z.string() })),
  context_cost: reportTokenCost,
  notes: z.array(z.string()),
  started_at: z.number().describe("Milliseconds since the epoch"),
  duration_ms: durationSchema,
});

export type ReportTokenCost = z.infer<typeof reportTokenCost>;
export type ReportPerformance = z.infer<typeof reportPerformance>;
