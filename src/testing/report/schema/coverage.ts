/** Which code ran, and which tests reach which code. */
import { z } from "zod";
import { countSchema, line } from "./amount_schemas.ts";

const counts = z.strictObject({ covered: countSchema, total: countSchema });

const file = z.strictObject({
  path: z.string().describe("Relative to the plugin's folder"),
  lines: z.record(z.string(), countSchema).describe("Hits by line number, of lines that hold code"),
  functions: z.array(z.strictObject({ name: z.string(), line, end_line: line, hits: countSchema })),
  branches: z.array(z.strictObject({ line, hits: z.array(countSchema) })),
  tools: z.array(z.strictObject({ tool: z.string(), line, end_line: line })).describe(
    "Tools whose handlers lie in the file",
  ),
});

const gap = z.strictObject({
  path: z.string(),
  line,
  end_line: line,
  kind: z.enum(["error branch", "branch", "function", "lines"]),
  tool: z.string().optional().describe("Whose code it is"),
});

export const reportCoverage = z.strictObject({
  collector: z.string(),
  files: z.array(file),
  totals: z.strictObject({ lines: counts, functions: counts, branches: counts }),
  gaps: z.array(gap).optional().describe("What no test runs, with the tool that it belongs to"),
  notes: z.array(z.string()),
});

const reach = z.strictObject({
  path: z.string(),
  ranges: z.array(z.tuple([line, line])).optional().describe("Lines that ran; absent: the file as a whole"),
  functions: z.array(z.string()),
});

export const reportImpact = z.strictObject({
  source: z.enum(["measured", "static"]),
  tests: z.array(z.strictObject({ id: z.string(), reaches: z.array(reach) })),
  startup: z.array(reach).optional().describe("What ran while the server started, hence before every test"),
  notes: z.array(z.string()),
});

export type ReportCoverage = z.infer<typeof reportCoverage>;
export type ReportGap = z.infer<typeof gap>;
export type ReportFileCoverage = z.infer<typeof file>;
