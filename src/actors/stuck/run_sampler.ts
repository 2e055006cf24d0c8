import type { ProcessSample } from "../../../machines/model/stuck.ts";
import { type Sampler, startSampler } from "../../stuck/sampler.ts";
import type { SamplerAccess } from "../../stuck/sampler_access.ts";

export interface RunningSampler {
  /** Takes one more sample, behind those that were asked for before. */
  ask(take: (sample: ProcessSample) => void): void;
  /** Ends it; the promise resolves once it has ended. */
  end(): Promise<void>;
}

/**
 * Makes a sampler for a machine, which hears of the first failure and of nothing after the end. It is started with the
 * first sample: what is never silent has none.
 */
export function runSampler(
  access: SamplerAccess,
  pid: number,
  fail: (error: unknown) => void,
): RunningSampler {
  let started: Promise<Sampler> | undefined;
  let ended = false;
  const tell = (error: unknown) => {
    if (!ended) fail(error);
  };
  const takeSample = async (take: (sample: ProcessSample) => void) => {
    if (ended) return;
    started ??= startSampler(access, pid);
    const sample = await (await started).sample();
    if (!ended) take(sample);
  };
  let last: Promise<void> = Promise.resolve();
  return {
    ask(take) {
      last = last.then(() => takeSample(take)).catch(tell);
    },
    async end() {
      ended = true;
      // One that never started has nothing to close, and its failure was told.
      await started?.then((sampler) => sampler.close(), () => {});
    },
  };
}
