/**
 * Ends this process where a signal is not heard: the event loop hears none while something holds it up.
 *
 * A thread of its own takes the same signals and watches the loop's heartbeat. It does nothing while the loop is alive,
 * however long a clean end takes. Node gives threads no signals but through an internal binding; where a release has it no
 * more, there is no watchdog.
 */
import { Worker } from "node:worker_threads";

/** Time that the loop may be blocked once a signal has come, in ms. */
const watchdogLimitMs = 1_800;
/** The same on a machine that gives the loop's thread little time. */
const busyLimitMs = 4_000;
const beatMs = 100;

/** Signals that the process listens to now, by how many listeners. */
let listeners = 0;
let watchdog: { thread: Worker; beat: ReturnType<typeof setInterval> } | undefined;

/** A listener for signals is there, or gone: without any, signals end the process by themselves. */
export function countListener(change: 1 | -1): void {
  listeners += change;
  if (listeners === 0) disarm();
}

/** To be called before anything of a server is looked at; the second time and later it does nothing. */
export function armWatchdog(): void {
  if (watchdog !== undefined || listeners === 0) return;
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const [ticks, mostTicks] = [watchdogLimitMs, busyLimitMs].map((limit) => Math.round(limit / beatMs));
  const workerData = { beats, ticks, mostTicks, beatMs };
  const thread = new Worker(watch, { eval: true, workerData });
  // A thread that cannot start leaves signals to the loop alone, as they are without it.
  thread.on("error", disarm);
  thread.unref();
  const beat = setInterval(() => Atomics.add(beats, 0, 1), beatMs);
  beat.unref();
  watchdog = { thread, beat };
}

function disarm(): void {
  if (watchdog === undefined) return;
  clearInterval(watchdog.beat);
  void watchdog.thread.terminate();
  watchdog = undefined;
}

/**
 * Ticks, not the clock: after a pause of the whole machine the loop gets its time like everybody. Nor does the time count for
 * which the loop's thread could run and a busy machine did not let it (`schedstat`, on Linux).
 */
const watch = `
const { workerData: { beats, ticks, mostTicks, beatMs } } = require("node:worker_threads");
const process = require("node:process");
const { readFileSync, writeSync } = require("node:fs");
let heard, last = -1, still = 0, waitedBefore = 0;
const waitedTicks = () => {
  try {
    const [, waited] = readFileSync("/proc/self/task/" + process.pid + "/schedstat", "utf8").split(" ");
    return Number(waited) / 1e6 / beatMs;
  } catch {
    return 0; // no Linux: every tick counts
  }
};
const hear = (name) => {
  if (heard === undefined) still = 0;
  heard = name;
};
const names = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };
if (globalThis.Deno) for (const name of Object.keys(names)) Deno.addSignalListener(name, () => hear(name));
else {
  process.noDeprecation = true;
  const { Signal } = process.binding("signal_wrap");
  for (const [name, number] of Object.entries(names)) {
    const signal = new Signal();
    signal.onsignal = () => hear(name);
    signal.start(number);
  }
}
setInterval(() => {
  const now = Atomics.load(beats, 0);
  still = now === last ? still + 1 : 0;
  last = now;
  if (still === 0) waitedBefore = waitedTicks();
  if (heard === undefined || still < ticks) return;
  if (still < mostTicks && still - (waitedTicks() - waitedBefore) < ticks) return;
  try {
    writeSync(2, "\\nPTH was held up and could not answer " + heard + ": it is ended by force. pth clean removes what is left.\\n");
  } finally {
    process.kill(process.pid, "SIGKILL");
  }
}, beatMs);
`;
