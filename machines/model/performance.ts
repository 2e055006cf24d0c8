/** Measurements of a plugin, as plain values. Durations are milliseconds, sizes bytes. */
import type { TokenCost } from "./contract.ts";

export interface Percentiles {
  count: number;
  min: number;
  p50: number;
  p95: number;
  p99: number;
  max: number;
}

export interface ToolPerformance {
  tool: string;
  /** From invocation to result, one call after the other. */
  responseMs: Percentiles;
  errors: number;
  /** Calls per second while calls follow each other without a pause, and the time each took then. */
  throughput?: { callsPerSecond: number; responseMs: Percentiles; inFlight: number };
  /** Processor time of the environment during this tool's calls; absent if the runtime does not report it. */
  cpuMsPerCall?: number;
  memoryPeakBytes?: number;
  /** Growth of the memory peak during the calls. */
  memoryPeakGrowthBytes?: number;
  /** Growth of memory after the calls. */
  memoryGrowthBytes?: number;
  diskReadBytes?: number;
  diskWrittenBytes?: number;
  /** Files that one call made, changed or removed in the plugin's folder and the temporary one. */
  sideEffects?: {
    files: number;
    bytes: number;
    /** Files that were written again with the same content. */
    rewritten: number;
    /** Some of those, relative to the plugin's folder where they are in it. */
    rewrittenFiles?: string[];
  };
  answerBytes: Percentiles;
}

export interface PerformanceOutlier {
  tool: string;
  /** "response time", "answer size", "cpu", "memory", "disk writes" … */
  dimension: string;
  value: number;
  /** The median of the other tools, or what a plain call costs. */
  usual: number;
  message: string;
}

export interface PerformanceRequest {
  /** Only these; default: all that are not held back. */
  tools?: string[];
  /** Calls of each tool, one after the other; default 20. */
  calls?: number;
  /** Includes tools that are annotated destructive or open-world. */
  includeHeldBack?: boolean;
}

/** Measurement of one tool. */
export interface PlannedMeasurement {
  tool: string;
  /** Tried in order until one is accepted; the first come from tests that passed. */
  inputs: Record<string, unknown>[];
  calls: number;
}

export interface PerformancePlan {
  tools: PlannedMeasurement[];
  unmeasured: { tool: string; reason: string }[];
}

/** Response times come first for all tools, so that no rush disturbs them. */
export type MeasuredStep = "response" | "throughput";

/** Result of one step of one tool. */
export type Measurement =
  | { tool: string; input: Record<string, unknown>; measured: Partial<ToolPerformance>; notes: string[] }
  | { tool: string; reason: string };

export interface PerformanceReport {
  /** Calls of each tool. */
  calls: number;
  tools: ToolPerformance[];
  outliers: PerformanceOutlier[];
  /** Tools without figures, and why. */
  unmeasured: { tool: string; reason: string }[];
  contextCost: TokenCost;
  /** Origin of the figures ("cgroup v1 of the container"), and those that are missing. */
  notes: string[];
  startedAt: number;
  durationMs: number;
}
