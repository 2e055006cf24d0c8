import type { HangInspection, ProcessSample, StackFrame } from "../../../machines/model/stuck.ts";
import type { SamplerAccess } from "../sampler_access.ts";
import { euStacks } from "./eu_stack.ts";

/** Processes whose stacks are taken, and frames of each thread. */
const mostProcesses = 3;
const mostFrames = 12;

/** A thread that waits for something outside says so itself, and one that goes on is not to be held up. */
const kinds: readonly HangInspection["kind"][] = ["deadlock", "infinite_loop", "beyond_timeout"];

/** Adds to the threads of an inspection the frames that can be had within milliseconds, by eu-stack; as it is where there is none. */
export async function quickStacks(
  access: SamplerAccess,
  inspection: HangInspection,
  signal: AbortSignal,
): Promise<HangInspection> {
  if (!kinds.includes(inspection.kind)) return inspection;
  const frames = new Map<number | undefined, StackFrame[]>();
  const sample: ProcessSample = { processes: [], threads: [], costMs: 0, spentMs: 0, aliveMs: 0 };
  for (const pid of [...new Set(inspection.threads.map((thread) => thread.pid))].slice(0, mostProcesses)) {
    try {
      const target = { process: { pid, parent: 0, alarm: false }, sample, mayEnd: false };
      const found = await euStacks.capture(access, target, signal);
      for (const thread of found.threads) frames.set(thread.tid, thread.frames.slice(0, mostFrames));
    } catch {
      if (signal.aborted) break; // no permission, no such program: the waits alone tell
    }
  }
  return {
    ...inspection,
    threads: inspection.threads.map((thread) => {
      const own = frames.get(thread.tid);
      return own === undefined || own.length === 0 ? thread : { ...thread, frames: own };
    }),
  };
}
