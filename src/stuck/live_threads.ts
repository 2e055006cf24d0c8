import type { ProcessSample, SampledThread } from "../../machines/model/stuck.ts";

/** Longest turn of a thread that waits for a monitor of Java, in ms. */
const javaTurnMs = 1000;

export interface Liveness {
  /** Tids of threads that may go on, with the reason why. */
  live: Map<number, "ran" | "timer" | "outside" | "other">;
  /** Ms until the first wait ends that lies beyond the budget; infinite without such. */
  earliestMs: number;
}

/**
 * Finds the threads that may go on: those that ran, or wait for a time within the budget or for something outside of the
 * tree, and, step by step, those that wait for a thread that may go on. The others wait for each other.
 * @param ignored Tids of threads that release nothing
 * @param budgetMs Time in ms that is left; a wake-up beyond it comes too late
 * @param options `turnsAreWaits`: a thread of Java that looks at a monitor in short turns counts as one that waits for it
 */
export function liveThreads(
  sample: ProcessSample,
  ignored: ReadonlySet<number>,
  budgetMs: number,
  { turnsAreWaits = true } = {},
): Liveness {
  const live: Liveness["live"] = new Map();
  let earliestMs = Infinity;
  const java = new Set(sample.processes.flatMap(({ pid, runtime }) => runtime === "java" ? [pid] : []));
  const others = sample.threads.filter(({ tid }) => !ignored.has(tid))
    .map((thread) => turnsAreWaits && java.has(thread.pid) ? withoutTurns(thread) : thread);
  for (const thread of others) {
    const reason = ownReason(thread, budgetMs);
    if (reason !== undefined) live.set(thread.tid, reason);
    else if (thread.leftMs !== undefined) earliestMs = Math.min(earliestMs, thread.leftMs);
  }
  const known = new Set(sample.threads.map(({ tid }) => tid));
  const isAlive = (test: (thread: SampledThread) => boolean) =>
    others.some((thread) => live.has(thread.tid) && test(thread));
  const descendants = descendantsOf(sample);
  let grows = true;
  while (grows) {
    grows = false;
    for (const thread of others) {
      if (live.has(thread.tid) || !isReleasable(thread)) continue;
      live.set(thread.tid, "other");
      grows = true;
    }
  }
  return { live, earliestMs };

  function isReleasable({ pid, tid, wait }: SampledThread): boolean {
    switch (wait.kind) {
      case "lock":
        return wait.owner === undefined ? isAlive((other) => other.pid === pid) : live.has(wait.owner);
      case "join":
        return !known.has(wait.target) || live.has(wait.target);
      case "child": {
        const children = descendants(wait.target ?? pid);
        if (wait.target !== undefined) children.add(wait.target);
        // Without a thread of the child it has ended, and the wait is about to.
        const threads = sample.threads.filter((other) => children.has(other.pid));
        return threads.length === 0 || isAlive((other) => children.has(other.pid));
      }
      case "input":
      case "output":
      case "event_loop":
        return isAlive((other) => other.tid !== tid && wait.peers!.includes(other.pid));
      default:
        return false;
    }
  }
}

/**
 * Takes a thread that waits for a monitor of Java, and looks at it again in turns, as one that only waits. It may as well sleep
 * for a moment: the Java VM itself has to say which.
 */
function withoutTurns(thread: SampledThread): SampledThread {
  if (thread.wait.kind !== "lock" || thread.waitMs === undefined && thread.leftMs === undefined) {
    return thread;
  }
  if ((thread.leftMs ?? 0) > javaTurnMs) return thread;
  const { leftMs: _turn, ...rest } = thread;
  return { ...rest, frozen: true };
}

/** Reason for which a thread may go on whatever the others do. */
function ownReason({ wait, frozen, leftMs }: SampledThread, budgetMs: number) {
  if (!frozen) return "ran";
  if (leftMs !== undefined && leftMs <= budgetMs) return "timer";
  switch (wait.kind) {
    case "timer":
      return leftMs === undefined ? "timer" : undefined;
    case "lock":
      return wait.shared === true ? "other" : undefined;
    case "input":
    case "output":
    case "event_loop":
      return wait.peers === undefined ? "outside" : undefined;
    case "join":
    case "child":
      return undefined;
    default:
      return "other";
  }
}

function descendantsOf({ processes }: ProcessSample): (pid: number) => Set<number> {
  return (pid) => {
    const found = new Set<number>();
    // Parents come before their children.
    for (const each of processes) if (each.parent === pid || found.has(each.parent)) found.add(each.pid);
    return found;
  };
}
