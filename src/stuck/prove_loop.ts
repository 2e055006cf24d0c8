import type { LoopProof, ProcessSample } from "../../machines/model/stuck.ts";
import type { SamplerAccess } from "./sampler_access.ts";
import { proveLoopByGdb } from "./stacks/gdb.ts";
import { mayOthersGoOn } from "./stacks/java_stacks.ts";
import { noStacks } from "./stacks/stack_way.ts";

/**
 * Tests whether a thread computes without end: nothing else in the tree may go on, as samples have shown, and its state repeats.
 * @param look `sample`: the latest one; `brief`: only a short loop is looked for
 * @throws {PthError} `UNSUPPORTED` where it cannot be tested
 */
export async function proveLoop(
  access: SamplerAccess,
  { tid, sample, brief }: { tid: number; sample: ProcessSample | undefined; brief: boolean },
  signal: AbortSignal,
): Promise<LoopProof> {
  const began = performance.now();
  const thread = sample?.threads.find((each) => each.tid === tid);
  if (thread === undefined) throw noStacks("the thread is gone");
  const { pid } = thread;
  const runtime = sample!.processes.find((process) => process.pid === pid)?.runtime;
  // Runtimes have stacks of their own, and symbols that take long to read.
  const proof = await proveLoopByGdb(access, { pid, tid, brief, symbols: runtime === undefined }, signal);
  // Names of its threads do not tell which are the VM's own.
  const isAlone = !proof.proven || runtime !== "java" || !await mayOthersGoOn(access, { pid, tid }, signal);
  const tookMs = Math.round(performance.now() - began);
  return isAlone
    ? { ...proof, tookMs }
    : { proven: false, detail: "another thread of Java may go on, and end it", tookMs };
}
