import type {
  CapturedStacks,
  ProcessSample,
  StuckJudgement,
  ThreadStack,
} from "../../../machines/model/stuck.ts";
import { startSampler } from "../sampler.ts";
import type { SamplerAccess } from "../sampler_access.ts";
import { euStacks } from "./eu_stack.ts";
import { gdbStacks } from "./gdb.ts";
import { javaStacks } from "./java_stacks.ts";
import { pythonStacks } from "./python_stacks.ts";
import type { StackWay } from "./stack_way.ts";
import { waitStacks } from "./wait_stacks.ts";
import { withHolders } from "./with_holders.ts";

/** Ways, best first; the first that gives stacks of a process is taken. */
const ways: readonly StackWay[] = [javaStacks, pythonStacks, gdbStacks, euStacks, waitStacks];
/** Most processes whose stacks are taken. */
const mostProcesses = 6;

export interface CaptureOptions {
  /** Absent: no judgement was made, as at a time limit. */
  judgement?: StuckJudgement;
  /** The processes may end by it. */
  mayEnd: boolean;
  signal: AbortSignal;
}

/**
 * Takes the stacks of a process tree, of the processes first that are judged to be stuck. A process that is gone by now, or
 * that may not be traced, leaves a note.
 * @throws {PthError} `UNSUPPORTED` where the processes cannot even be sampled
 */
export async function captureStacks(
  access: SamplerAccess,
  pid: number,
  { judgement, mayEnd, signal }: CaptureOptions,
): Promise<CapturedStacks> {
  const sampler = await startSampler(access, pid);
  let sample: ProcessSample;
  try {
    sample = await sampler.sample();
  } finally {
    await sampler.close();
  }
  const stuck = judgement !== undefined && "threads" in judgement ? judgement.threads : [];
  const isStuck = (each: number) =>
    sample.threads.some((thread) => thread.pid === each && stuck.includes(thread.tid));
  const chosen = [...sample.processes].sort((a, b) => Number(isStuck(b.pid)) - Number(isStuck(a.pid)));
  const notes = chosen.length > mostProcesses
    ? [`${chosen.length - mostProcesses} more processes were left out`]
    : [];
  const threads: ThreadStack[] = [];
  const methods = new Set<string>();
  let cycle: string[] | undefined;
  let refuted = false;
  for (const process of chosen.slice(0, mostProcesses)) {
    for (const way of ways.filter((each) => each.fits({ process, sample, mayEnd }))) {
      try {
        const found = await way.capture(access, { process, sample, mayEnd }, signal);
        threads.push(...found.threads);
        notes.push(...found.notes ?? []);
        cycle ??= found.cycle;
        refuted ||= found.refuted === true && isStuck(process.pid);
        methods.add(way.name);
        break;
      } catch (error) {
        if (signal.aborted) throw error;
        notes.push(`process ${process.pid}: ${(error as Error).message}`);
      }
    }
  }
  const named = withHolders(threads.map((thread) => withOwner(thread, sample)));
  const known = cycle ?? cycleOf(judgement, named);
  return {
    threads: named,
    method: [...methods].join(", ") || "none",
    notes,
    ...(known ? { cycle: known } : refuted ? { refuted } : {}),
  };
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
