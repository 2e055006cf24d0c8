/** The slots of the machine that inspects processes which owe an answer: samples and stacks, in the session's environment. */
import { type EventObject, fromCallback } from "xstate";
import type {
  HangInspectionInput,
  HangSamplerEvent,
  QuickStacksInput,
} from "../../../machines/hang_inspection_machine.ts";
import type { CaptureStacksInput } from "../../../machines/test/test_setup.ts";
import type { HangInspection } from "../../../machines/model/stuck.ts";
import { errorMessage, PthError } from "../../core/errors.ts";
import { inspectHang } from "../../stuck/inspect_hang.ts";
import type { SamplerAccess } from "../../stuck/sampler_access.ts";
import { quickStacks, scriptStacks } from "../../stuck/stacks/quick_stacks.ts";
import { type GetSession, promiseActor } from "../promise_actor.ts";
import type { SessionResources } from "../session_resources.ts";
import { runSampler } from "./run_sampler.ts";

/** Pid of the root of the processes to inspect, as the environment numbers it. */
export type FindRoot = (live: SessionResources, of: HangInspectionInput["of"]) => number | undefined;

export const hangInspectionActors = (stage: GetSession, findRoot: FindRoot) => ({
  sample: fromCallback<EventObject, HangInspectionInput>(({ input: { of, leftMs }, sendBack, receive }) => {
    const live = stage();
    const deadline = performance.now() + leftMs;
    const tell = (event: HangSamplerEvent) => sendBack(live.secrets.redact.value(event));
    const pid = findRoot(live, of);
    if (pid === undefined) {
      receive(() => tell({ type: "hang.not_sampled", reason: "PTH has started no process of it" }));
      return;
    }
    const sampler = runSampler(
      accessOf(live),
      pid,
      (error) => tell({ type: "hang.not_sampled", reason: reasonOf(error) }),
    );
    receive(() =>
      sampler.ask((sample) =>
        tell({ type: "hang.sampled", inspection: inspectHang(sample, deadline - performance.now()) })
      )
    );
    return () => void live.tasks.track(sampler.end());
  }),

  captureStacks: promiseActor<HangInspection, QuickStacksInput>(
    stage,
    async (live, { inspection }, signal) =>
      live.secrets.redact.value(await quickStacks(accessOf(live), inspection, signal)),
  ),
});

/** Slot `test.capture_stacks`: stacks that only a server which is about to be ended may be asked for. */
export const captureServerStacks = (stage: GetSession) =>
  promiseActor<HangInspection | undefined, CaptureStacksInput>(
    stage,
    async (live, { inspection }, signal) => inspection && await takeServerStacks(live, inspection, signal),
  );

/** Adds to an inspection of a server that is about to be ended the stacks of its scripts. */
export const takeServerStacks = async (
  live: SessionResources,
  inspection: HangInspection,
  signal: AbortSignal,
): Promise<HangInspection> =>
  live.secrets.redact.value(await scriptStacks(accessOf(live), inspection, signal));

function accessOf(live: SessionResources): SamplerAccess {
  const { runtime, info } = live.environment.require();
  return {
    // Not in the plugin's folder, whose settings a program may read.
    spawn: (argv, options) => runtime.spawn(info.handle, argv, { cwd: "/", ...options }),
    exec: (argv, options) => runtime.exec(info.handle, argv, { cwd: "/", ...options }),
  };
}

const reasonOf = (error: unknown): string =>
  error instanceof PthError && typeof error.context["reason"] === "string"
    ? error.context["reason"]
    : errorMessage(error);
