/** Coverage and what a change affects, in structured answers. */
import * as z from "zod";

const number = z.number().int();
const counted = z.object({ covered: number, total: number });
const place = { path: z.string(), line: number, endLine: number };

export const coverageReport = z.object({
  collector: z.string(),
  totals: z.object({ lines: counted, functions: counted, branches: counted }),
  files: z.array(z.object({
    path: z.string(),
    covered: number.exactOptional().describe("Of its lines; not with format: json."),
    total: number.exactOptional(),
    lines: z.record(z.string(), number).exactOptional().describe("Hits by line, with format: json."),
  })).readonly(),
  gaps: z.array(z.object({
    ...place,
    kind: z.enum(["error branch", "branch", "function", "lines"]),
    tool: z.string().exactOptional(),
  })).readonly().exactOptional(),
  notes: z.array(z.string()).readonly(),
});

export const testImpact = z.object({
  source: z.enum(["measured", "static"]),
  tests: z.array(z.string()).readonly().describe("Ids, in the order of the suite."),
  changes: z.array(z.object({
    path: z.string(),
    function: z.string().exactOptional().describe("As name:line."),
    lines: z.array(number).readonly().exactOptional().describe("First and last."),
    tests: z.array(z.string()).readonly(),
    reason: z.string(),
  })).readonly(),
  unknown: z.array(z.string()).readonly().describe(
    "Files of which it is not known whether a test needs them.",
  ),
  notes: z.array(z.string()).readonly(),
});
