/** Slot of the suite that measures for a while how much of the time PTH itself works. */
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { fromPromise } from "xstate";
import type { PaceSample } from "../../../machines/suite/pace.ts";
import { computedMs } from "../../platform/host.ts";

export const measurePace = fromPromise<PaceSample, { ms: number }>(async ({ input: { ms }, signal }) => {
  const began = performance.now();
  const computed = computedMs();
  const loop = performance.eventLoopUtilization();
  await sleep(ms, undefined, { signal });
  // On a busy machine PTH works for longer than it has a processor; Deno does not tell for how long, and says 0.
  const { active } = performance.eventLoopUtilization(loop);
  return { elapsedMs: performance.now() - began, ownMs: Math.max(active, computedMs() - computed) };
});
