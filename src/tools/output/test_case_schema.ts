/** Tests in structured answers. */
import * as z from "zod";
import { tierField } from "../fields.ts";
import { generatedFrom } from "./test_result_schema.ts";

const values = z.record(z.string(), z.unknown());
const verify = z.array(z.object({ exec: z.string(), expect: values })).readonly();

export const briefTest = z.object({
  id: z.string(),
  name: z.string(),
  tier: tierField.exactOptional(),
  tool: z.string().exactOptional(),
  tags: z.array(z.string()).readonly().exactOptional(),
  generatedFrom: generatedFrom.exactOptional(),
  origin: z.string().exactOptional().describe("Why it was proposed, and from what."),
});

export const testCaseSchema = z.object({
  ...briefTest.required({ tier: true, tags: true, generatedFrom: true }).shape,
  description: z.string().exactOptional(),
  input: values.exactOptional(),
  steps: z.array(z.object({ expect: values, capture: z.record(z.string(), z.string()), verify })).readonly()
    .exactOptional(),
  prompt: z.string().exactOptional(),
  checklist: z.array(z.string()).readonly().exactOptional(),
  check: z.string().exactOptional(),
  expect: values,
  verify,
  timeoutSeconds: z.number().exactOptional(),
  file: z.string().exactOptional(),
  line: z.number().int().exactOptional(),
});

/** Tools that were left alone, and why. */
export const excludedToolsSchema = z.array(z.object({ tool: z.string(), reason: z.string() })).readonly();
