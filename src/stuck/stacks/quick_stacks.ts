import type { HangInspection, HungThread, ProcessSample, StackFrame } from "../../../machines/model/stuck.ts";
import type { SamplerAccess } from "../sampler_access.ts";
import { euStacks } from "./eu_stack.ts";
import { nodeStacks } from "./node_stacks.ts";
import { withFrames } from "./with_frames.ts";

/** Processes whose stacks are taken. */
const mostProcesses = 3;

/** A thread that waits for something outside says so itself, and one that goes on is not to be held up. */
const kinds: readonly HangInspection["kind"][] = ["deadlock", "infinite_loop", "beyond_timeout"];

const noSample: ProcessSample = { processes: [], threads: [], costMs: 0, spentMs: 0, aliveMs: 0 };

/**
 * Adds to the threads of an inspection the frames that can be had within milliseconds, by eu-stack; as it is where there is
 * none.
 */
export const quickStacks = (
  access: SamplerAccess,
  inspection: HangInspection,
  signal: AbortSignal,
): Promise<HangInspection> =>
  framesOf(inspection, ({ runtime }) => runtime === undefined || runtime === "go", (pid) => {
    const target = { process: { pid, parent: 0, alarm: false }, sample: noSample, mayEnd: false };
    return euStacks.capture(access, target, signal);
  });

/** Adds JavaScript's own frames, of processes that are about to be ended; others stay as they are. */
export const scriptStacks = (
  access: SamplerAccess,
  inspection: HangInspection,
  signal: AbortSignal,
): Promise<HangInspection> =>
  framesOf(inspection, ({ runtime }) => runtime === "node", (pid) => {
    const process = { pid, parent: 0, alarm: false, runtime: "node" as const };
    return nodeStacks.capture(access, { process, sample: noSample, mayEnd: true }, signal);
  });

async function framesOf(
  inspection: HangInspection,
  fits: (thread: HungThread) => boolean,
  capture: (pid: number) => Promise<{ threads: { tid?: number; frames: StackFrame[] }[] }>,
): Promise<HangInspection> {
  if (!kinds.includes(inspection.kind)) return inspection;
  const frames = new Map<number | undefined, StackFrame[]>();
  const pids = inspection.threads.filter(fits).map(({ pid }) => pid);
  for (const pid of [...new Set(pids)].slice(0, mostProcesses)) {
    try {
      for (const thread of (await capture(pid)).threads) frames.set(thread.tid, thread.frames);
    } catch {
      // No permission, no such program, or no time is left: the waits alone tell.
    }
  }
  return withFrames(inspection, frames);
}
