/** Measurements of a plugin, as plain values (PTH design §7). Durations are milliseconds, sizes bytes. */
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
  /** Of the environment during this tool's calls; absent where the runtime cannot tell. */
  cpuMsPerCall?: number;
  memoryPeakBytes?: number;
  memoryGrowthBytes?: number;
  diskReadBytes?: number;
  diskWrittenBytes?: number;
  /** Files that one call made, changed or removed in the plugin's folder and the temporary one. */
  sideEffects?: { files: number; bytes: number; rewritten: number };
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

export interface PerformanceReport {
  /** Calls of each tool. */
  calls: number;
  tools: ToolPerformance[];
  outliers: PerformanceOutlier[];
  contextCost: TokenCost;
  /** Where the figures come from ("cgroup v1 of the container"), and what is missing. */
  notes: string[];
  startedAt: number;
  durationMs: number;
}
