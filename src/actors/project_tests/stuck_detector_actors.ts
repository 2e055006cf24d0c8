/** The slots of the stuck detector machine: samples, stacks and proofs, where the processes run. */
import { type AnyEventObject, type EventObject, fromCallback, fromPromise } from "xstate";
import type { CapturedStacks, LoopProof, ProcessSample } from "../../../machines/model/stuck.ts";
import type {
  CaptureInput,
  ProveInput,
  SamplerEvent,
  StuckDetectorInput,
} from "../../../machines/stuck_detector_machine.ts";
import { messageOf } from "../../../machines/message_of.ts";
import { judgeSample } from "../../stuck/judge_sample.ts";
import { proveLoop } from "../../stuck/prove_loop.ts";
import type { SamplerAccess } from "../../stuck/sampler_access.ts";
import { captureStacks } from "../../stuck/stacks/capture_stacks.ts";
import type { WatchedCommand } from "../../stuck/stacks/stack_way.ts";
import { runSampler } from "../stuck/run_sampler.ts";

export interface StuckDetectorPlace {
  access: SamplerAccess;
  /** Takes the end of each piece of work, which is to be waited for before the place goes away. */
  track(work: Promise<unknown>): void;
  /** The command that was started as this process, where it is known. */
  commandOf?(pid: number): WatchedCommand | undefined;
}

export const stuckDetectorActors = (place: () => StuckDetectorPlace) => actorsWith(place, new Map());

/** @param latest Latest samples of what is watched, by the root of the tree */
const actorsWith = (place: () => StuckDetectorPlace, latest: Map<number, ProcessSample>) => ({
  sample: fromCallback<EventObject, StuckDetectorInput>(({ input, sendBack, receive }) => {
    const { access, track } = place();
    const tell = (event: SamplerEvent) => sendBack(event);
    const sampler = runSampler(
      access,
      input.pid,
      (error) => tell({ type: "sampler.failed", reason: messageOf(error) }),
    );
    receive((event: AnyEventObject) =>
      sampler.ask((sample) => {
        const budgetMs = input.deadlineAt - Date.now();
        const judgement = judgeSample(sample, { budgetMs, runner: input.runner });
        latest.set(input.pid, sample);
        const { costMs, spentMs, aliveMs } = sample;
        const number = event["number"];
        tell({ type: "sample.taken", number, judgement, costMs, at: performance.now(), spentMs, aliveMs });
      })
    );
    return () => {
      latest.delete(input.pid);
      track(sampler.end());
    };
  }),

  captureStacks: fromPromise<CapturedStacks, CaptureInput>(
    ({ input: { pid, judgement, mayEnd, proof }, signal }) => {
      const { access, track, commandOf } = place();
      const sample = latest.get(pid);
      const command = commandOf?.(pid);
      const work = captureStacks(access, pid, { judgement, mayEnd, signal, sample, command, proof });
      track(work.catch(() => {})); // the machine hears of its failure
      return work;
    },
  ),

  proveLoop: fromPromise<LoopProof, ProveInput>(({ input: { pid, tid, brief }, signal }) => {
    const { access, track } = place();
    const work = proveLoop(access, { tid, brief, sample: latest.get(pid) }, signal);
    track(work.catch(() => {})); // the machine hears of its failure
    return work;
  }),
});
