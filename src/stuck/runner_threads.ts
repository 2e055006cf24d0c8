/** Threads that test runners and runtimes of languages have for themselves. */
import type { ProcessSample, RunnerThreads, SampledThread } from "../../machines/model/stuck.ts";

/** Interval in ms after which the idle monitor of Go's runtime looks around. */
const goMonitorMs = 60_000;
/** Longest turn of that monitor while anything runs, in ms. */
const goTurnMs = 10;
/** Beginnings of names of the Java VM's own threads, as far as the kernel keeps them. */
const javaThreads = [
  ...[
    "VM Thread",
    "VM Periodic Tas",
    "GC Thread#",
    "G1 ",
    "ZDriver",
    "ZWorker",
    "ZStat",
    "ZDirector",
    "Shenandoah",
  ],
  ...[
    "C1 CompilerThre",
    "C2 CompilerThre",
    "Sweeper thread",
    "Service Thread",
    "Monitor Deflati",
    "Common-Cleaner",
  ],
  ...["Reference Handl", "Finalizer", "Signal Dispatch", "Notification Th", "Attach Listener"],
];
/**
 * Names of threads by which a VM is known that a build tool runs tests in, and of those that speak with the tool. Surefire 2
 * asks `ps` every second whether Maven is there.
 */
const testVms: Partial<Record<RunnerThreads, { known: RegExp; own: RegExp }>> = {
  surefire: { known: /^surefire-forked/, own: /^(?:surefire-forked|ps$)/ },
  gradle: { known: /^Test worker/, own: /^\/(?:\[0:0:|127\.0\.0\.1)/ },
};
/** One that hears of the ends of processes waits for a lock while there is no process. */
const isJavas = ({ name, wait }: SampledThread) =>
  javaThreads.some((each) => name.startsWith(each)) ||
  name.startsWith("process reaper") && wait.kind === "lock";

/**
 * Finds the tids of threads that release nothing a test waits for.
 * @param runner Test runner that the tests run in, where it has a thread that waits beside each test
 */
export function runnerThreads({ processes, threads }: ProcessSample, runner?: RunnerThreads): Set<number> {
  const found = new Set<number>();
  const tool = runner === undefined ? undefined : testVms[runner];
  if (tool !== undefined) add(buildToolThreads({ processes, threads }, tool));
  for (const { pid, runtime } of processes) {
    const own = threads.filter((thread) => thread.pid === pid);
    if (runner === "libtest" && own.length > 1) {
      add(own.filter(({ tid, wait, leftMs }) => tid === pid && wait.kind === "lock" && leftMs !== undefined));
    }
    if (runtime === "go") {
      add(goMonitor(pid, own));
    }
    if (runtime === "java") add(own.filter(isJavas));
    if (runtime === "node") add(nodeScheduler(pid, own));
  }
  return found;

  function add(threads: SampledThread[]): void {
    for (const { tid } of threads) found.add(tid);
  }
}

/** Finds the monitor of Go's runtime, the first thread that it starts: idle it waits a minute, else it looks in short turns. */
function goMonitor(pid: number, threads: SampledThread[]): SampledThread[] {
  const [first] = threads.filter(({ tid }) => tid !== pid).sort((a, b) => a.tid - b.tid);
  const looks = first?.wait.kind === "timer" && first.waitMs !== undefined && first.waitMs <= goTurnMs;
  const idle = first?.wait.kind === "lock" && first.waitMs === goMonitorMs;
  return first !== undefined && (looks || idle) ? [first] : [];
}

/** Finds the thread of Node's platform that runs delayed tasks: the first one started. With a timer it may be another. */
function nodeScheduler(pid: number, threads: SampledThread[]): SampledThread[] {
  const [first] = threads.filter(({ tid }) => tid !== pid).sort((a, b) => a.tid - b.tid);
  const idle = first?.wait.kind === "event_loop" && first.wait.peers !== undefined &&
    first.leftMs === undefined;
  return idle ? [first] : [];
}

/** Finds the threads of what started the VMs of tests, and those that speak with it. */
function buildToolThreads(
  { processes, threads }: Pick<ProcessSample, "processes" | "threads">,
  { known, own }: { known: RegExp; own: RegExp },
): SampledThread[] {
  const vms = new Set(threads.filter(({ name }) => known.test(name)).map(({ pid }) => pid));
  const parents = new Map(processes.map(({ pid, parent }) => [pid, parent]));
  const above = new Set<number>();
  for (const vm of vms) {
    for (let pid = parents.get(vm); pid !== undefined && !above.has(pid); pid = parents.get(pid)) {
      above.add(pid);
    }
  }
  const isOfVm = (pid: number) => vms.has(pid) || vms.has(parents.get(pid) ?? 0);
  return threads.filter(({ pid, name }) => isOfVm(pid) ? own.test(name) : above.has(pid));
}
