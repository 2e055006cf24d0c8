/** Order statistics of a handful of figures. */
import type { Percentiles } from "../../machines/model/performance.ts";
import { roundToThousandth } from "../core/values.ts";

const nothing: Percentiles = { count: 0, min: 0, p50: 0, p95: 0, p99: 0, max: 0 };

/** By nearest rank: each is a figure that was measured. */
export function percentilesOf(values: readonly number[]): Percentiles {
  if (values.length === 0) return nothing;
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => roundToThousandth(sorted[Math.ceil(share * sorted.length) - 1]!);
  return {
    count: sorted.length,
    min: roundToThousandth(sorted[0]!),
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    max: roundToThousandth(sorted.at(-1)!),
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  if (sorted.length === 0) return 0;
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
