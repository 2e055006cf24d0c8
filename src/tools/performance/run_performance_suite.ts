import { z } from "zod";
import {
  outlierRows,
  performanceSummary,
  performanceTable,
  unmeasuredRows,
} from "../../performance/report_text.ts";
import { defineTool, requestOptions } from "../tool.ts";
import { lines, listed } from "../words.ts";

export default defineTool({
  title: "Measure the plugin's performance",
  description:
    "Measure each tool of the plugin: response time (p50, p95, p99), CPU, memory and disk, throughput under rapid calls, files written, " +
    "answer sizes, tokens. Inputs come from tests that passed, else from schemas as far as the tool accepts them. Tools that stand out " +
    "are named; nothing passes or fails: you judge what is reasonable for such a plugin. Run it when the tests pass. Next: " +
    "pth_get_performance_report({ detail: true }) for all figures.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    tools: z.array(z.string().min(1)).min(1).exactOptional()
      .describe(
        "Only these, also where they are held back. Default: all that do not call themselves destructive or open-world.",
      ),
    calls: z.number().int().min(1).max(1000).exactOptional().describe(
      "Of each tool, one after the other. Default: 20.",
    ),
    includeHeldBack: z.boolean().exactOptional().describe("true: also destructive and open-world tools."),
  }),
  async run(request, context) {
    const report = await context.harness.session().measurePerformance(request, requestOptions(context));
    return {
      text: lines(
        performanceSummary(report),
        ...outlierRows(report),
        ...listed(performanceTable(report.tools), 31),
        ...listed(unmeasuredRows(report), 10),
        ...report.notes,
      ),
      data: { ...report },
    };
  },
});
