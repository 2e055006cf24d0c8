import * as z from "zod";
import { detailField, hostPathField } from "../fields.ts";
import type { FuzzReport, FuzzRequest } from "../../../machines/model/fuzz.ts";
import { fuzzText } from "../text/fuzz_text.ts";
import { defineTool, requestOptions } from "../tool.ts";
import { excludedToolsSchema } from "../output/test_case_schema.ts";

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
    steps: z.array(z.object({
      tool: z.string(),
      input: values,
      capture: z.record(z.string(), z.string()).exactOptional(),
    })).readonly().exactOptional(),
    breach: z.string().exactOptional(),
    shrinks: number,
    shrinkMs: z.number(),
    bound: z.string().exactOptional().describe("Reason why it may not be the smallest."),
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
  startFailed: z.string().exactOptional(),
});

/** The call that searches again; what is written where, and the way it is told, are left out. */
const searchAgain = (
  { output: _, ...request }: FuzzRequest & { output?: string },
  { seed, runs }: FuzzReport,
) => `pth_fuzz_tools(${JSON.stringify({ ...request, seed, runs })})`;

export default defineTool({
  title: "Fuzz tools",
  description:
    "Call tools with random inputs to find crashes, hangs, protocol errors, broken outputSchemas, leaked stack traces and growing memory. " +
    "Each fault is shrunk to a small input and joins the session's tests. Next: pth_run_test({ id }).",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    tools: z.array(z.string().min(1)).exactOptional().describe("Only these plugin tools."),
    runs: z.number().int().min(1).max(100_000).exactOptional().describe("Inputs per tool. Default: 100."),
    seed: z.number().int().exactOptional().describe("Repeats an earlier search. Default: a new one."),
    sequences: z.boolean().exactOptional().describe(
      "Also sequences of calls.",
    ),
    includeHeldBack: z.boolean().exactOptional().describe(
      "Also destructive and open-world tools; false: neither. Default: by environment.",
    ),
    timeoutSeconds: z.number().positive().exactOptional()
      .describe("Seconds without response or progress before a call counts as hung. Default: 5."),
    timeSeconds: z.number().positive().exactOptional()
      .describe("Limit of the whole search, shared among the tools."),
    output: hostPathField.exactOptional()
      .describe(
        "Absolute folder for the tests. Default: .pth/tests/fuzz of the worktree.",
      ),
    detail: detailField,
  }),
  output: fuzzReport,
  async run({ detail, ...request }, context) {
    const report = await context.harness.session().tests.fuzz(request, requestOptions(context));
    const finds = report.finds.map(({ yaml: _, test, ...find }) =>
      test === undefined ? find : { ...find, test: test.id }
    );
    return {
      text: fuzzText(
        report,
        ({ test }) => test && `pth_run_test({ id: "${test.id}" })`,
        { form: detail ? "whole" : "brief", again: searchAgain(request, report) },
      ),
      data: { ...report, finds },
    };
  },
});
