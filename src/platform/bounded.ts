/**
 * Synchronous work on what a server gave (its schemas, its patterns, its texts), stopped where it does not end.
 *
 * `node:vm` can stop the engine in the midst of a match, a loop or a recursion, on Node and on Deno, and with it whatever
 * the script has called. What is stopped runs no `finally`: state that it shares with others is to be thrown away.
 */
import { createContext, Script } from "node:vm";
import { computedMs } from "./host.ts";

/** Limit of one piece of work that blocks the process, in ms; honest work takes a few. */
export const workLimitMs = 1000;

/** Work that was stopped: it would have taken longer than its limit. */
export class OutOfTime extends Error {
  readonly limitMs: number;
  /** Whether the machine gave the process too little of that time to tell whether the work ends: not to be remembered. */
  readonly starved: boolean;

  constructor(limitMs: number, { starved = false } = {}) {
    super(`not done within ${limitMs / 1000} s${starved ? " on a busy machine" : ""}`);
    this.name = "OutOfTime";
    this.limitMs = limitMs;
    this.starved = starved;
  }
}

const sandbox: { work: () => unknown } = { work: () => undefined };
/** Made at the first use: not every command meets a server. */
let engine: { script: Script; context: object } | undefined;
let within = false;

/** On a machine that gave the process less than this share of the time, work gets more of it, again and again. */
const fairShare = 0.6;
const moreTime = 1.5;
/** Limit in ms on all of these together; the process does nothing else meanwhile. */
const mostMs = 3000;

/**
 * Does the work. Work within such work shares the outer limit. On a busy machine it may be done several times, each from its
 * beginning.
 * @throws {OutOfTime} after `limitMs`, or on a busy machine after 3 s at most; or what the work throws
 */
export function bounded<Result>(work: () => Result, limitMs: number = workLimitMs): Result {
  if (within) return work();
  const started = performance.now();
  for (let sliceMs = limitMs;;) {
    const before = computedMs();
    try {
      return stoppable(work, sliceMs);
    } catch (error) {
      if ((error as { code?: string } | undefined)?.code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
      if (computedMs() - before >= sliceMs * fairShare) throw new OutOfTime(sliceMs);
      const passedMs = Math.round(performance.now() - started);
      if (mostMs - passedMs < limitMs) throw new OutOfTime(passedMs, { starved: true });
      sliceMs = Math.min(Math.round(sliceMs * moreTime), mostMs - passedMs);
    }
  }
}

function stoppable<Result>(work: () => Result, limitMs: number): Result {
  engine ??= { script: new Script("work()"), context: createContext(sandbox) };
  sandbox.work = work;
  within = true;
  try {
    return engine.script.runInContext(engine.context, { timeout: limitMs }) as Result;
  } finally {
    within = false;
    sandbox.work = () => undefined;
  }
}
