/** Measurements of a session, as its saved state keeps them: of a bounded size, and checked when it is read back. */
import { truncate } from "../core/text.ts";
import * as z from "zod";
import type { MatrixReport } from "../../machines/model/matrix.ts";
import type { PerformanceReport } from "../../machines/model/performance.ts";

const mostCauses = 100;
const mostTools = 200;

const strings = z.array(z.string());

export const savedMatrix = z.object({
  entries: z.array(
    z.looseObject({ name: z.string(), distro: z.string(), state: z.string(), durationMs: z.number() }),
  ),
  differences: z.array(
    z.looseObject({
      id: z.string(),
      name: z.string(),
      statuses: z.record(z.string(), z.string()),
      failsOn: strings,
      everywhere: z.boolean(),
    }),
  ),
});

const percentiles = z.object({
  count: z.number(),
  min: z.number(),
  p50: z.number(),
  p95: z.number(),
  p99: z.number(),
  max: z.number(),
});

const amount = z.number().exactOptional();

const tool = z.object({
  tool: z.string(),
  responseMs: percentiles,
  errors: z.number(),
  throughput: z.object({ callsPerSecond: z.number(), responseMs: percentiles, inFlight: z.number() })
    .exactOptional(),
  cpuMsPerCall: amount,
  memoryPeakBytes: amount,
  memoryPeakGrowthBytes: amount,
  memoryGrowthBytes: amount,
  diskReadBytes: amount,
  diskWrittenBytes: amount,
  sideEffects: z.object({
    files: z.number(),
    bytes: z.number(),
    rewritten: z.number(),
    rewrittenFiles: strings.exactOptional(),
  }).exactOptional(),
  answerBytes: percentiles,
});

const size = z.object({ bytes: z.number(), tokens: z.number() });

const tokenCost = z.object({
  tokenizer: z.string(),
  list: size,
  tools: z.array(size.extend({ tool: z.string() })),
  answers: z.array(
    z.object({ tool: z.string(), calls: z.number(), medianTokens: z.number(), maxTokens: z.number() }),
  ),
  instructions: size.exactOptional(),
});

export const savedPerformance = z.object({
  calls: z.number(),
  tools: z.array(tool),
  outliers: z.array(z.object({
    tool: z.string(),
    dimension: z.string(),
    value: z.number(),
    usual: z.number(),
    message: z.string(),
  })),
  unmeasured: z.array(z.object({ tool: z.string(), reason: z.string() })),
  contextCost: tokenCost,
  notes: strings,
  startedAt: z.number(),
  durationMs: z.number(),
});

/** Sorts what belongs to one distribution first. */
export const boundMatrix = ({ entries, differences }: MatrixReport): MatrixReport => ({
  entries: entries.slice(0, mostCauses).map(({ failedFirst, ...entry }) => ({
    ...entry,
    ...(failedFirst === undefined ? {} : { failedFirst: failedFirst.slice(0, mostCauses) }),
  })),
  differences: differences.slice(0, mostCauses).map(({ cause, ...difference }) => ({
    ...difference,
    ...(cause === undefined ? {} : { cause: { ...cause, message: shortenSaved(cause.message) } }),
  })),
});

/** Figures of very many tools are cut, and that is said. */
export function boundPerformance(report: PerformanceReport): PerformanceReport {
  const { contextCost: { tools, answers, ...cost }, ...figures } = report;
  const left = report.tools.length - mostTools;
  return {
    ...figures,
    tools: report.tools.slice(0, mostTools),
    outliers: report.outliers.slice(0, mostTools).map((one) => ({
      ...one,
      message: shortenSaved(one.message),
    })),
    unmeasured: report.unmeasured.slice(0, mostTools).map(({ tool, reason }) => ({
      tool,
      reason: shortenSaved(reason),
    })),
    contextCost: { ...cost, tools: tools.slice(0, mostTools), answers: answers.slice(0, mostTools) },
    notes: [
      ...report.notes.slice(0, mostTools).map(shortenSaved),
      ...(left > 0 ? [`Figures of ${left} more tools were not saved.`] : []),
    ],
  };
}

/** Long texts in a session's saved state. */

const longest = 1000;

export const shortenSaved = (text: string): string => truncate(text, longest);
