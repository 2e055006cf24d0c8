/** Reasons why tests failed, as structured answers have them. */
import * as z from "zod";

const place = z.object({
  path: z.string().describe("Relative to the plugin's folder."),
  line: z.number(),
  column: z.number().exactOptional(),
  name: z.string().exactOptional(),
});

/** Numbers of rows left out, by list. */
export const omittedByList = z.record(z.string(), z.number());

/** Failures with one root cause. */
export const failureGroup = z.object({
  id: z.string(),
  category: z.string(),
  cause: z.string(),
  place: place.exactOptional(),
  testIds: z.array(z.string()),
  leftOut: omittedByList.exactOptional(),
});

/** Facts of a failure, all that are known; where room ends, without what `omittedByList` names. */
const diagnosis = z.object({
  testId: z.string(),
  testName: z.string(),
  tool: z.string().exactOptional(),
  category: z.string(),
  evidence: z.array(z.string()),
  error: z.string(),
  places: z.array(place).describe("The likeliest first."),
  previousFixes: z.array(z.object({ commit: z.string(), title: z.string() })),
  exchange: z.array(z.unknown()).exactOptional().describe("JSON-RPC messages."),
  stderr: z.string().exactOptional(),
  stdout: z.string().exactOptional(),
  excerpts: z.array(z.object({ path: z.string(), from: z.number(), text: z.string() })).exactOptional(),
  environment: z.object({ problems: z.array(z.string()) }).exactOptional(),
  leftOut: z.string().exactOptional(),
});

export const diagnosisReport = z.object({
  groups: z.array(failureGroup).describe("Root causes, the largest first."),
  diagnoses: z.array(diagnosis),
  leftOut: omittedByList.exactOptional(),
});
