/** Puts measurements together into a report. */
import type { TokenCost } from "../../machines/model/contract.ts";
import type {
  Measurement,
  PerformancePlan,
  PerformanceReport,
  ToolPerformance,
} from "../../machines/model/performance.ts";
import { findOutliers } from "./find_outliers.ts";
import { percentilesOf } from "./percentiles.ts";

export interface AssessmentInput {
  plan: PerformancePlan;
  /** Both steps of each tool, in the order in which they were done. */
  measurements: readonly Measurement[];
  contextCost: TokenCost;
  notes: string[];
  startedAt: number;
  durationMs: number;
}

export function assessPerformance(
  { plan, measurements, contextCost, notes, startedAt, durationMs }: AssessmentInput,
): PerformanceReport {
  const tools = plan.tools.flatMap(({ tool }): ToolPerformance[] => {
    const parts = measurements.flatMap((each) =>
      each.tool === tool && "measured" in each ? [each.measured] : []
    );
    if (!parts.some(({ responseMs }) => responseMs !== undefined)) return [];
    const nothing = { responseMs: percentilesOf([]), answerBytes: percentilesOf([]), errors: 0 };
    return [Object.assign({ tool, ...nothing }, ...parts) as ToolPerformance];
  });
  const reasons = measurements.flatMap((each) => "reason" in each ? [each] : []);
  const measured = new Set(tools.map(({ tool }) => tool));
  return {
    calls: plan.tools[0]?.calls ?? 0,
    tools,
    outliers: findOutliers(tools, contextCost),
    unmeasured: [...plan.unmeasured, ...reasons.filter(({ tool }) => !measured.has(tool))],
    contextCost,
    notes: [
      ...notes,
      ...measurements.flatMap((each) => "notes" in each ? each.notes : []),
      ...reasons.filter(({ tool }) => measured.has(tool)).map(({ tool, reason }) =>
        `${tool} under rapid calls: ${reason}`
      ),
      ...(tools.length < 2 ? ["Outliers are told beside other tools: fewer than two were measured"] : []),
    ],
    startedAt,
    durationMs,
  };
}
