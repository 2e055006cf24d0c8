import type {
  CapturedStacks,
  LoopProof,
  ProcessSample,
  SampledProcess,
  StuckJudgement,
  ThreadStack,
} from "../../../machines/model/stuck.ts";
import { groupBy } from "../../core/values.ts";
import { startSampler } from "../sampler.ts";
import type { SamplerAccess } from "../sampler_access.ts";
import { euStacks } from "./eu_stack.ts";
import { gdbStacks } from "./gdb.ts";
import { goStacks } from "./go_stacks.ts";
import { javaStacks } from "./java_stacks.ts";
import { nodeStacks } from "./node_stacks.ts";
import { pythonStacks } from "./python_stacks.ts";
import { type ProcessStacks, type StackTarget, type StackWay, TracingRefused } from "./stack_way.ts";
import { waitStacks } from "./wait_stacks.ts";
import { refusalReason } from "./refusal_reason.ts";
import { withHolders } from "./with_holders.ts";

/** Ways, best first; the first that gives stacks of a process is taken. */
const ways: readonly StackWay[] = [
  javaStacks,
  pythonStacks,
  nodeStacks,
  goStacks,
  gdbStacks,
  euStacks,
  waitStacks,
];
/** Programs that start others and wait for them, of which that is all there is to say. */
const starters = /^(?:sh|dash|bash|busybox|env|timeout|setsid|make|ctest|cargo|go)$/;
/** Most processes whose stacks are taken. */
const mostProcesses = 6;

export interface CaptureOptions {
  /** Absent: no judgement was made, as at a time limit. */
  judgement?: StuckJudgement;
  /** The latest sample, where there is one. */
  sample?: ProcessSample | undefined;
  /** The processes may end by it. */
  mayEnd: boolean;
  command?: StackTarget["command"];
  proof?: LoopProof | undefined;
  signal: AbortSignal;
}

/** Stacks of one process with the way that gave them, or the reasons for which there are none. */
interface Taken {
  process: SampledProcess;
  notes: string[];
  method?: string;
  stacks?: ProcessStacks;
}

/**
 * Takes the stacks of a process tree, of the processes first that are judged to be stuck. A process that is gone by now, or
 * that may not be traced, leaves a note.
 * @throws {PthError} `UNSUPPORTED` where the processes cannot even be sampled
 */
export async function captureStacks(
  access: SamplerAccess,
  pid: number,
  { judgement, sample: known, mayEnd, command, proof, signal }: CaptureOptions,
): Promise<CapturedStacks> {
  const began = performance.now();
  const sample = known ?? await takeSample(access, pid);
  const stuck = judgement !== undefined && "threads" in judgement ? judgement.threads : [];
  const isStuck = (each: number) =>
    sample.threads.some((thread) => thread.pid === each && stuck.includes(thread.tid));
  const hasChild = (each: number) => sample.processes.some(({ parent }) => parent === each);
  const rank = (each: number) => (isStuck(each) ? 2 : 0) + (hasChild(each) ? 0 : 1);
  const chosen = [...sample.processes].sort((a, b) => rank(b.pid) - rank(a.pid)).slice(0, mostProcesses);
  // Those of one runtime share what only one can have at a time: a port, or what was printed.
  const groups = groupBy(chosen, ({ pid: each, runtime }) => runtime ?? each);
  const taken = new Map<number, Taken>();
  await Promise.all([...groups.values()].map(async (group) => {
    for (const process of group) {
      const byGdb = proof?.stacks?.pid === process.pid ? proof.stacks.threads : undefined;
      const target = { process, sample, mayEnd, command, byGdb, isStuck: isStuck(process.pid) };
      taken.set(process.pid, await takeStacks(access, target, signal));
    }
  }));
  const all = chosen.map((process) => taken.get(process.pid)!);
  const named = withHolders(
    all.flatMap(({ stacks }) => stacks?.threads ?? []).map((thread) => withOwner(thread, sample)),
  );
  const left = sample.processes.length - chosen.length;
  const cycle = all.find(({ stacks }) => stacks?.cycle !== undefined)?.stacks?.cycle ??
    cycleOf(judgement, named);
  const refuted = all.some(({ process, stacks }) => stacks?.refuted === true && isStuck(process.pid));
  return {
    threads: named,
    method: [...new Set(all.flatMap(({ method }) => method ?? []))].join(", ") || "none",
    notes: [
      ...(left > 0 ? [`${left} more processes were left out`] : []),
      ...all.flatMap(({ notes }) => notes),
    ],
    tookMs: Math.round(performance.now() - began),
    ...(cycle ? { cycle } : refuted ? { refuted } : {}),
  };
}

async function takeSample(access: SamplerAccess, pid: number): Promise<ProcessSample> {
  const sampler = await startSampler(access, pid);
  try {
    return await sampler.sample();
  } finally {
    await sampler.close();
  }
}

async function takeStacks(access: SamplerAccess, target: StackTarget, signal: AbortSignal): Promise<Taken> {
  const { process, sample } = target;
  const notes: string[] = [];
  const onlyWaits =
    sample.threads.some(({ tid, pid, name }) => pid === process.pid && tid === pid && starters.test(name)) &&
    sample.threads.some(({ pid, wait }) => pid === process.pid && wait.kind === "child");
  let mayTrace = true;
  for (const way of onlyWaits ? [waitStacks] : ways.filter((each) => each.fits(target))) {
    if (way.traces && !mayTrace) continue;
    try {
      const stacks = await way.capture(access, target, signal);
      return { process, method: way.name, stacks, notes: [...notes, ...stacks.notes ?? []] };
    } catch (error) {
      if (signal.aborted) throw error;
      const isRefused = error instanceof TracingRefused;
      if (isRefused) mayTrace = false;
      const reason = isRefused ? `: ${await refusalReason(access, process.pid, signal)}` : "";
      notes.push(`process ${process.pid}: ${(error as Error).message}${reason}`);
    }
  }
  return { process, notes };
}

/** Adds the lock that a thread waits for, as the kernel and glibc tell. */
function withOwner(thread: ThreadStack, { threads }: ProcessSample): ThreadStack {
  const wait = threads.find(({ tid }) => tid === thread.tid)?.wait;
  if (thread.waitsFor !== undefined || wait?.kind !== "lock") return thread;
  const owner = threads.find(({ tid }) => tid === wait.owner);
  const heldBy = owner === undefined ? {} : { heldBy: `${owner.name} (${owner.tid})` };
  return { ...thread, waitsFor: { lock: wait.address, ...heldBy } };
}

function cycleOf(judgement: StuckJudgement | undefined, threads: ThreadStack[]): string[] | undefined {
  if (judgement?.kind !== "deadlock" || judgement.cycle.length === 0) return undefined;
  return judgement.cycle.map((tid) => {
    const name = threads.find((thread) => thread.tid === tid)?.name;
    return name === undefined ? `thread ${tid}` : `${name} (${tid})`;
  });
}
