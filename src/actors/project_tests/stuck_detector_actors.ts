/** The slots of the stuck detector machine: samples, stacks and proofs, where the processes run. */
import { type AnyEventObject, type EventObject, fromCallback, fromPromise } from "xstate";
import type { CapturedStacks, LoopProof } from "../../../machines/model/stuck.ts";
import type {
  CaptureInput,
  SamplerEvent,
  StuckDetectorInput,
} from "../../../machines/stuck_detector_machine.ts";
import { messageOf } from "../../../machines/message_of.ts";
import { judgeSample } from "../../stuck/judge_sample.ts";
import { type Sampler, startSampler } from "../../stuck/sampler.ts";
import type { SamplerAccess } from "../../stuck/sampler_access.ts";
import { captureStacks } from "../../stuck/stacks/capture_stacks.ts";
import { proveLoopByGdb } from "../../stuck/stacks/gdb.ts";

export interface StuckDetectorPlace {
  access: SamplerAccess;
  /** Takes the end of each piece of work, which is to be waited for before the place goes away. */
  track(work: Promise<unknown>): void;
}

export const stuckDetectorActors = (place: () => StuckDetectorPlace) => ({
  sample: fromCallback<EventObject, StuckDetectorInput>(({ input, sendBack, receive }) => {
    const { access, track } = place();
    const started = startSampler(access, input.pid);
    let ended = false;
    const tell = (event: SamplerEvent) => {
      if (!ended) sendBack(event);
    };
    const fail = (error: unknown) => tell({ type: "sampler.failed", reason: messageOf(error) });
    let last: Promise<void> = started.then(() => {}, fail);
    const takeSample = async (sampler: Sampler, number: number) => {
      if (ended) return;
      const sample = await sampler.sample();
      const budgetMs = input.deadlineAt - Date.now();
      const judgement = judgeSample(sample, { budgetMs, runner: input.runner });
      tell({ type: "sample.taken", number, judgement, costMs: sample.costMs });
    };
    // One after the other: the sampler answers in the order in which it is asked.
    receive((event: AnyEventObject) => {
      last = last.then(() => started).then((sampler) => takeSample(sampler, event["number"] as number))
        .catch(fail);
    });
    return () => {
      ended = true;
      // One that never started has nothing to close, and its failure was told.
      track(started.then((sampler) => sampler.close(), () => {}));
    };
  }),

  captureStacks: fromPromise<CapturedStacks, CaptureInput>(
    ({ input: { pid, judgement, mayEnd }, signal }) => {
      const { access, track } = place();
      const work = captureStacks(access, pid, { judgement, mayEnd, signal });
      track(work.catch(() => {})); // the machine hears of its failure
      return work;
    },
  ),

  proveLoop: fromPromise<LoopProof, { pid: number; tid: number }>(({ input, signal }) => {
    const { access, track } = place();
    const work = proveLoopByGdb(access, input, signal);
    track(work.catch(() => {})); // the machine hears of its failure
    return work;
  }),
});
