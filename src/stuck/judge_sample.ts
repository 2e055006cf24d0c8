import type {
  ProcessSample,
  RunnerThreads,
  SampledThread,
  StuckJudgement,
} from "../../machines/model/stuck.ts";
import { describeThread } from "./describe_thread.ts";
import { liveThreads } from "./live_threads.ts";
import { runnerThreads } from "./runner_threads.ts";

export interface SampleContext {
  /** Time in ms until the run is ended; a wake-up beyond it comes too late. */
  budgetMs: number;
  runner?: RunnerThreads | undefined;
}

/** Most threads that a detail names. */
const mostNamed = 6;

/** Judges one sample. A certain judgement counts once a second sample agrees. */
export function judgeSample(sample: ProcessSample, { budgetMs, runner }: SampleContext): StuckJudgement {
  if (sample.processes.length === 0) return { kind: "gone" };
  const ignored = runnerThreads(sample, runner);
  const workers = sample.threads.filter(({ tid }) => !ignored.has(tid));
  if (workers.length === 0) return { kind: "working" };
  const { live, earliestMs } = liveThreads(sample, ignored, budgetMs);
  const dead = workers.filter(({ tid }) => !live.has(tid));
  const detail = (threads: SampledThread[]) => describe(threads, sample);

  const cycle = cycleOf(dead);
  if (cycle !== undefined) {
    return {
      kind: "deadlock",
      certain: true,
      threads: tids(dead),
      cycle: tids(cycle),
      detail: detail(cycle),
    };
  }
  if (dead.length === workers.length) {
    const certain = isProof(sample);
    const found = { threads: tids(dead), detail: detail(dead) };
    if (earliestMs < Infinity) return { kind: "beyond_timeout", certain, wakesInMs: earliestMs, ...found };
    return { kind: "deadlock", certain: certain && !hasEventLoop(sample, workers), cycle: [], ...found };
  }
  const busy = workers.filter((thread) => thread.busy === true);
  const ran = workers.filter((thread) => live.get(thread.tid) === "ran" && thread.busy !== true);
  if (busy.length > 0 && ran.length === 0) {
    return {
      kind: "infinite_loop",
      certain: false,
      threads: tids(busy),
      alone: isAlone(sample, busy, ignored, budgetMs),
      detail: detail(busy),
    };
  }
  if (busy.length > 0 || ran.length > 0) return { kind: "working" };
  return waiting(workers.filter(({ tid }) => live.has(tid)), sample);
}

const tids = (threads: SampledThread[]) => threads.map(({ tid }) => tid);

function describe(threads: SampledThread[], sample: ProcessSample): string {
  const more = threads.length > mostNamed ? [`${threads.length - mostNamed} more`] : [];
  return [...threads.slice(0, mostNamed).map((thread) => describeThread(thread, sample)), ...more].join("; ");
}

/** Threads of which each waits, without end, for the one behind it, and the last for the first. */
function cycleOf(dead: SampledThread[]): SampledThread[] | undefined {
  const byTid = new Map(dead.map((thread) => [thread.tid, thread]));
  const next = ({ wait, leftMs }: SampledThread) => {
    if (leftMs !== undefined) return undefined;
    const target = wait.kind === "join" ? wait.target : wait.kind === "lock" ? wait.owner : undefined;
    return target === undefined ? undefined : byTid.get(target);
  };
  for (const start of dead) {
    const path: SampledThread[] = [];
    let thread: SampledThread | undefined = start;
    while (thread !== undefined && !path.includes(thread)) {
      path.push(thread);
      thread = next(thread);
    }
    if (thread !== undefined) return path.slice(path.indexOf(thread));
  }
  return undefined;
}

/** False where what no sample shows may end a wait: a timer's signal, or threads that were not seen. */
const isWhole = ({ processes, truncated, unreadable }: ProcessSample) =>
  truncated !== true && unreadable !== true && processes.every(({ alarm }) => !alarm);

/** A Java VM lets threads look around in turns: it has to say itself which of them wait. */
const isProof = (sample: ProcessSample) =>
  isWhole(sample) && sample.processes.every(({ runtime }) => runtime !== "java");

/**
 * An event loop without anything from outside may still be woken by a signal. Go's poller hears of none, nor do event loops of
 * Node's threads beside the main one.
 */
function hasEventLoop({ processes }: ProcessSample, workers: SampledThread[]): boolean {
  const runtimes = new Map(processes.map(({ pid, runtime }) => [pid, runtime]));
  return workers.some(({ pid, tid, wait }) => {
    const runtime = runtimes.get(pid);
    return wait.kind === "event_loop" && runtime !== "go" && !(runtime === "node" && tid !== pid);
  });
}

/**
 * True if nothing but the thread itself can end its computing. Runtimes interrupt their threads, and leave what these compute as it
 * is; which goroutines may go on no thread shows.
 */
function isAlone(
  sample: ProcessSample,
  busy: SampledThread[],
  ignored: ReadonlySet<number>,
  budgetMs: number,
): boolean {
  if (busy.length !== 1 || !isWhole(sample) || sample.processes.some(({ runtime }) => runtime === "go")) {
    return false;
  }
  const others = new Set([...ignored, busy[0]!.tid]);
  return liveThreads(sample, others, budgetMs, { turnsAreWaits: false }).live.size === 0;
}

const kindsOfWaits: Partial<Record<SampledThread["wait"]["kind"], "input" | "child" | "lock" | "signal">> = {
  input: "input",
  output: "input",
  event_loop: "input",
  child: "child",
  lock: "lock",
  join: "lock",
  signal: "signal",
};

/** Names the wait that will end by itself first: a timer, else what comes from outside. */
function waiting(live: SampledThread[], sample: ProcessSample): StuckJudgement {
  const timed = live.filter(({ leftMs }) => leftMs !== undefined).sort((a, b) => a.leftMs! - b.leftMs!);
  const outside = live.filter(({ wait }) => !["child", "lock", "join"].includes(wait.kind));
  const [first] = [...timed, ...outside, ...live];
  const kind = timed.length > 0 ? "timer" : kindsOfWaits[first!.wait.kind] ?? "other";
  return { kind: "waiting", for: kind, detail: describe([first!], sample) };
}
