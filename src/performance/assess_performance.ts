/** Puts measurements together into a report. */
import type { TokenCost } from "../../machines/model/contract.ts";
import type {
  Measurement,
  PerformanceOutlier,
  PerformancePlan,
  PerformanceReport,
  ToolPerformance,
} from "../../machines/model/performance.ts";
import { median, percentilesOf } from "./percentiles.ts";
import { roundToThousandth } from "../core/values.ts";

interface AssessmentInput {
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
      ...(tools.length < 2 ? ["Outliers are found by comparison: fewer than two tools were measured"] : []),
    ],
    startedAt,
    durationMs,
  };
}

/** Below so many other tools a median says little, and only what is many times the dearest of them stands out. */
const fewOthers = 3;

const timesTheDearest = 10;

const timesTheMedian = 3;

/** A median absolute deviation of a normal distribution times this is its standard deviation. */
const deviations = 5 * 1.4826;

interface Dimension {
  name: string;
  of(tool: ToolPerformance): number | undefined;
  /** Smallest value that counts as an outlier, however far it is from the others. */
  floor: number;
  words(value: number): string;
  /** Meaning of the figure, and what may help. */
  why: string;
}

const milliseconds = (value: number) => `${value < 10 ? roundToThousandth(value) : Math.round(value)} ms`;

const bytes = (value: number) =>
  value < 10_000
    ? `${Math.round(value)} bytes`
    : value < 10_000_000
    ? `${Math.round(value / 1000)} KB`
    : `${Math.round(value / 1e6)} MB`;

const number = (value: number) => String(Math.round(value * 10) / 10);

const mega = 1024 * 1024;

const dimensions: Dimension[] = [
  {
    name: "response time",
    of: ({ responseMs }) => responseMs.p50,
    floor: 50,
    words: milliseconds,
    why: "an agent waits for each of its calls",
  },
  {
    name: "slowest calls",
    of: ({ responseMs }) => responseMs.p95 > responseMs.p50 * 5 ? responseMs.p95 : 0,
    floor: 250,
    words: milliseconds,
    why: "one call in twenty takes many times as long as usual",
  },
  {
    name: "answer size",
    of: ({ answerBytes }) => answerBytes.p50,
    floor: 8_000,
    words: bytes,
    why: "a model reads all of each answer: offer a limit, pages or a summary",
  },
  {
    name: "cpu",
    of: ({ cpuMsPerCall }) => cpuMsPerCall,
    floor: 25,
    words: (value) => `${milliseconds(value)} of CPU time`,
    why: "other calls wait meanwhile, where the server has one thread",
  },
  {
    name: "memory",
    of: ({ memoryGrowthBytes }) => memoryGrowthBytes,
    floor: 32 * mega,
    words: bytes,
    why: "memory that stays after the calls may be a leak",
  },
  {
    name: "memory peak",
    // Memory that stays is reported by the dimension before.
    of: ({ memoryPeakGrowthBytes: peak, memoryGrowthBytes = 0 }) =>
      peak === undefined ? undefined : Math.max(0, peak - memoryGrowthBytes),
    floor: 64 * mega,
    words: bytes,
    why: "its calls need that much at once, for a moment",
  },
  {
    name: "disk writes",
    of: ({ diskWrittenBytes }) => diskWrittenBytes,
    floor: 1 * mega,
    words: (value) => `${bytes(value)} written`,
    why: "each call writes",
  },
  {
    name: "files written",
    of: ({ sideEffects }) => sideEffects?.files,
    floor: 5,
    words: (value) => `${number(value)} files`,
    why: "each call makes, changes or removes them",
  },
  {
    name: "files rewritten unchanged",
    of: ({ sideEffects }) => sideEffects?.rewritten,
    floor: 0.9,
    words: (value) => `${number(value)} files`,
    why: "each call writes them with the content that they had",
  },
];

export function findOutliers(tools: readonly ToolPerformance[], cost: TokenCost): PerformanceOutlier[] {
  const found = dimensions.flatMap((dimension) =>
    outliersIn(dimension, tools.map((tool) => ({ tool: tool.tool, value: dimension.of(tool) })), tools)
  );
  return [
    ...found,
    ...outliersIn(definitionSize, cost.tools.map(({ tool, tokens }) => ({ tool, value: tokens }))),
  ];
}

const definitionSize: Dimension = {
  name: "definition size",
  of: () => undefined,
  floor: 600,
  words: (value) => `${Math.round(value)} tokens`,
  why: "every request that lists the tools pays for it",
};

function outliersIn(
  dimension: Dimension,
  figures: readonly { tool: string; value: number | undefined }[],
  tools: readonly ToolPerformance[] = [],
): PerformanceOutlier[] {
  const known = figures.filter((figure): figure is { tool: string; value: number } =>
    figure.value !== undefined
  );
  return known.flatMap(({ tool, value }) => {
    const others = known.filter((other) => other.tool !== tool).map((other) => other.value);
    if (value <= dimension.floor || others.length === 0 || !standsOut(value, others)) return [];
    const usual = roundToThousandth(median(others));
    const files = tools.find((one) => one.tool === tool)?.sideEffects?.rewrittenFiles ?? [];
    const named = dimension.name === "files rewritten unchanged" && files.length > 0
      ? ` (${files.join(", ")})`
      : "";
    return [{
      tool,
      dimension: dimension.name,
      value: roundToThousandth(value),
      usual,
      message: `${tool}: ${dimension.name} ${dimension.words(value)}${named}, other tools ${
        dimension.words(usual)
      }: ${dimension.why}.`,
    }];
  });
}

/** Far from the median of the others, by their own spread. */
function standsOut(value: number, others: readonly number[]): boolean {
  if (others.length < fewOthers) return value > timesTheDearest * Math.max(...others);
  const usual = median(others);
  const spread = median(others.map((other) => Math.abs(other - usual)));
  return value > usual + deviations * spread && value > timesTheMedian * usual;
}
