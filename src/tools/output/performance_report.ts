/** Measurements in structured answers: durations in milliseconds, sizes in bytes. */
import * as z from "zod";
import { excludedToolsSchema } from "./test_case_schema.ts";

const percentiles = z.object({
  count: z.number().int(),
  min: z.number(),
  p50: z.number(),
  p95: z.number(),
  p99: z.number(),
  max: z.number(),
});

const measuredTokenCost = z.object({
  tokenizer: z.string(),
  list: z.object({ bytes: z.number(), tokens: z.number() }),
  tools: z.array(z.object({ tool: z.string(), bytes: z.number(), tokens: z.number() })).readonly(),
  answers: z.array(z.object({
    tool: z.string(),
    calls: z.number().int(),
    medianTokens: z.number(),
    maxTokens: z.number(),
  })).readonly(),
  instructions: z.object({ bytes: z.number(), tokens: z.number() }).exactOptional(),
});

export const performanceReport = z.object({
  calls: z.number().int().describe("Of each tool."),
  tools: z.array(z.object({
    tool: z.string(),
    responseMs: percentiles,
    errors: z.number().int(),
    throughput: z.object({ callsPerSecond: z.number(), responseMs: percentiles, inFlight: z.number() })
      .exactOptional(),
    cpuMsPerCall: z.number().exactOptional(),
    memoryPeakBytes: z.number().exactOptional(),
    memoryPeakGrowthBytes: z.number().exactOptional(),
    memoryGrowthBytes: z.number().exactOptional(),
    diskReadBytes: z.number().exactOptional(),
    diskWrittenBytes: z.number().exactOptional(),
    sideEffects: z.object({ files: z.number(), bytes: z.number(), rewritten: z.number() }).exactOptional(),
    answerBytes: percentiles,
  })).readonly(),
  outliers: z.array(z.object({
    tool: z.string(),
    dimension: z.string(),
    value: z.number(),
    usual: z.number(),
    message: z.string(),
  })).readonly(),
  unmeasured: excludedToolsSchema,
  contextCost: measuredTokenCost,
  notes: z.array(z.string()).readonly(),
  startedAt: z.number().describe("Milliseconds since the epoch."),
  durationMs: z.number(),
});
