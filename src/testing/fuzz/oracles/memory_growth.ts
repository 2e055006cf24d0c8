/**
 * A server that takes more memory with each row of calls. Warm-up is not measured, and one that collects its garbage late
 * grows in steps: only growth in every row, that does not slow down and is large, counts.
 */
import { defineOracle } from "../oracle.ts";

/** Least growth over all rows, in MB; a runtime's young generation alone comes to half of it. */
const leastGrowth = 32;
/** Rows after which anything can be said. */
const leastRows = 6;

export default defineOracle({
  name: "memory_growth",
  summary: "the server's memory grows with every row of calls, by more than 32 MB and without slowing down",
  severity: "failure",
  judgeMemory(samples) {
    if (samples.length < leastRows + 1) return undefined;
    const steps = samples.slice(1).map(({ megabytes }, index) => megabytes - samples[index]!.megabytes);
    const half = Math.floor(steps.length / 2);
    const [early, late] = [sum(steps.slice(0, half)) / half, sum(steps.slice(half)) / (steps.length - half)];
    const grown = sum(steps);
    if (grown < leastGrowth || steps.some((step) => step <= 0) || late < early / 2) return undefined;
    const [first, last] = [samples[0]!, samples.at(-1)!];
    const calls = last.calls - first.calls;
    return {
      signature: "grows",
      message:
        `the server grew from ${Math.round(first.megabytes)} to ${
          Math.round(last.megabytes)
        } MB in ${calls} ` +
        `calls, about ${Math.round(grown * 1024 / calls)} KB each, and does not stop`,
    };
  },
});

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
