import * as z from "zod";
import type { ToolPerformance } from "../../../machines/model/performance.ts";
import { outlierRows, performanceSummary, performanceTable } from "../../performance/performance_text.ts";
import { performanceReport } from "../output/performance_report.ts";
import { unmeasuredText } from "../text/unmeasured_text.ts";
import { defineTool, requestOptions } from "../tool.ts";
import { joinLines } from "../text/join_lines.ts";

/** Number of slowest tools that the answer lists. */
const slowest = 5;
const table = (tools: readonly ToolPerformance[]): string[] => performanceTable(tools).slice(0, slowest + 1);

export default defineTool({
  title: "Measure the plugin's performance",
  description:
    "Measure each tool: response time, throughput, CPU, memory, disk, files written, answer sizes. Tools that stand out are named; nothing " +
    "passes or fails. Run it when the tests pass. Next: pth_get_performance_report({ detail: true }).",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    tools: z.array(z.string().min(1)).min(1).exactOptional()
      .describe(
        "Only these, also excluded ones. Default: all but destructive and open-world tools.",
      ),
    calls: z.number().int().min(1).max(1000).exactOptional().describe(
      "Of each tool. Default: 20.",
    ),
    includeHeldBack: z.boolean().exactOptional().describe("Also destructive and open-world tools."),
  }),
  output: performanceReport,
  async run(request, context) {
    const report = await context.harness.session().plugin.measurePerformance(
      request,
      requestOptions(context),
    );
    return {
      text: joinLines(
        performanceSummary(report),
        ...outlierRows(report),
        ...table(report.tools),
        ...unmeasuredText(report),
        ...report.notes,
        report.tools.length > slowest &&
          "Next: pth_get_performance_report({ detail: true }) for the other tools.",
      ),
      data: { ...report },
    };
  },
});
