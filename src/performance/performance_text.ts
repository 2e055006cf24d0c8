/** A performance report as a table and sentences. */
import type { PerformanceReport, ToolPerformance } from "../../machines/model/performance.ts";
import { count } from "../core/text.ts";

const tenth = (
  value: number,
): string => (value >= 100 ? String(Math.round(value)) : String(Math.round(value * 10) / 10));
const megabytes = (bytes: number | undefined): string =>
  bytes === undefined ? "-" : tenth(bytes / 1024 / 1024);

const columns: [head: string, of: (tool: ToolPerformance) => string][] = [
  ["tool", ({ tool }) => tool],
  ["p50 ms", ({ responseMs }) => tenth(responseMs.p50)],
  ["p95", ({ responseMs }) => tenth(responseMs.p95)],
  ["p99", ({ responseMs }) => tenth(responseMs.p99)],
  ["calls/s", ({ throughput }) => throughput === undefined ? "-" : tenth(throughput.callsPerSecond)],
  ["cpu ms", ({ cpuMsPerCall }) => cpuMsPerCall === undefined ? "-" : tenth(cpuMsPerCall)],
  ["peak MB", ({ memoryPeakBytes }) => megabytes(memoryPeakBytes)],
  ["grown MB", ({ memoryGrowthBytes }) => megabytes(memoryGrowthBytes)],
  [
    "written KB",
    ({ diskWrittenBytes }) => diskWrittenBytes === undefined ? "-" : tenth(diskWrittenBytes / 1024),
  ],
  ["files", ({ sideEffects }) => sideEffects === undefined ? "-" : tenth(sideEffects.files)],
  ["answer bytes", ({ answerBytes }) => String(Math.round(answerBytes.p50))],
  ["errors", ({ errors }) => String(errors)],
];

/** One row for each tool, the slowest first; per call, where a figure is not a peak or a rate. */
export function performanceTable(tools: readonly ToolPerformance[]): string[] {
  const sorted = [...tools].sort((a, b) => b.responseMs.p50 - a.responseMs.p50);
  const rows = [columns.map(([head]) => head), ...sorted.map((tool) => columns.map(([, of]) => of(tool)))];
  const widths = columns.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  return rows.map((row) =>
    row.map((cell, at) => at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!)).join("  ")
      .trimEnd()
  );
}

export const outlierRows = ({ outliers, tools }: PerformanceReport): string[] =>
  outliers.length > 0
    ? ["Outliers:", ...outliers.map(({ message }) => `- ${message}`)]
    : tools.length > 1
    ? ["No tool is an outlier."]
    : [];

export const performanceSummary = ({ tools, calls, unmeasured, contextCost }: PerformanceReport): string =>
  `${count(tools.length, "tool")} measured with up to ${count(calls, "call")} each` +
  (unmeasured.length > 0 ? `, ${unmeasured.length} not` : "") +
  `; tools/list costs ${contextCost.list.tokens} tokens (${contextCost.tokenizer}, an estimate for other models)`;

export const unmeasuredRows = ({ unmeasured }: PerformanceReport): string[] =>
  unmeasured.map(({ tool, reason }) => `Not measured: ${tool} (${reason})`);
