import type { ProcessSample } from "../../../machines/model/stuck.ts";
import { type Sampler, startSampler } from "../../stuck/sampler.ts";
import type { SamplerAccess } from "../../stuck/sampler_access.ts";

export interface RunningSampler {
  /** Takes one more sample, behind those that were asked for before. */
  ask(take: (sample: ProcessSample) => void): void;
  /** Ends it; the promise resolves once it has ended. */
  end(): Promise<void>;
}

/** Starts a sampler for a machine, which hears of the first failure and of nothing after the end. */
export function runSampler(
  access: SamplerAccess,
  pid: number,
  fail: (error: unknown) => void,
): RunningSampler {
  const started = startSampler(access, pid);
  let ended = false;
  const tell = (error: unknown) => {
    if (!ended) fail(error);
  };
  const takeSample = async (sampler: Sampler, take: (sample: ProcessSample) => void) => {
    if (ended) return;
    const sample = await sampler.sample();
    if (!ended) take(sample);
  };
  let last: Promise<void> = started.then(() => {}, tell);
  return {
    ask(take) {
      last = last.then(() => started).then((sampler) => takeSample(sampler, take)).catch(tell);
    },
    end() {
      ended = true;
      // One that never started has nothing to close, and its failure was told.
      return started.then((sampler) => sampler.close(), () => {});
    },
  };
}
