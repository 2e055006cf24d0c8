/** Finds of fuzzing, in structured answers. */
import { z } from "zod";
import { excludedToolsSchema } from "./test_case_schema.ts";

const number = z.number().int();
const values = z.record(z.string(), z.unknown());

export const fuzzReport = z.object({
  seed: number,
  runs: number,
  tools: z.array(z.object({
    tool: z.string(),
    calls: number,
    accepted: number,
    refused: number,
    note: z.string().exactOptional(),
  })).readonly(),
  finds: z.array(z.object({
    tool: z.string(),
    oracle: z.string(),
    severity: z.enum(["failure", "finding"]),
    category: z.string().exactOptional(),
    message: z.string(),
    original: values,
    input: values.describe("The smallest that was found."),
    steps: z.array(z.object({ tool: z.string(), input: values })).readonly().exactOptional(),
    breach: z.string().exactOptional(),
    shrinks: number,
    shrinkMs: z.number(),
    confirmed: z.boolean(),
    seed: number,
    path: z.string(),
    test: z.string().exactOptional().describe("Id, for pth_run_test."),
    file: z.string().exactOptional(),
  })).readonly(),
  heldBack: excludedToolsSchema,
  restarts: number,
  durationMs: z.number(),
  cutShort: z.string().exactOptional(),
});
