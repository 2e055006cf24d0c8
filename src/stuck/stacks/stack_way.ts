import type { ExecResult } from "../../../machines/model/environment_operations.ts";
import type { ProcessSample, SampledProcess, ThreadStack } from "../../../machines/model/stuck.ts";
import { PthError } from "../../core/errors.ts";
import { oneLine } from "../../core/text.ts";
import type { SamplerAccess } from "../sampler_access.ts";

/** The command that the watched processes belong to. */
export interface WatchedCommand {
  /** All that it has printed so far, without the middle where that is long. */
  printed(): string;
  /** Notes that what is done now may end it: its end is not its own. */
  endsNow(): void;
}

export interface StackTarget {
  process: SampledProcess;
  sample: ProcessSample;
  /** The process may end by it. */
  mayEnd: boolean;
  command?: WatchedCommand | undefined;
}

/** Stacks of one process, as one way gives them. */
export interface ProcessStacks {
  threads: ThreadStack[];
  /** Names of threads that the way itself knows to wait for each other. */
  cycle?: string[];
  notes?: string[];
  /** The way would know of a deadlock, and knows of none. */
  refuted?: boolean;
}

/** One way to take the stacks of a process. */
export interface StackWay {
  name: string;
  fits(target: StackTarget): boolean;
  /**
   * Takes the stacks.
   * @throws {PthError} `UNSUPPORTED` with the reason where it cannot be: no such program, no permission, the process is gone
   */
  capture(access: SamplerAccess, target: StackTarget, signal: AbortSignal): Promise<ProcessStacks>;
}

/** Identity with types. */
export const defineStackWay = (way: StackWay): StackWay => way;

/** Bytes of output that are kept of a program that takes stacks. */
const longestOutput = 4 * 1024 * 1024;

export interface RunWay {
  access: SamplerAccess;
  signal: AbortSignal;
  env?: Record<string, string>;
}

/** Runs a program that takes stacks. @throws {PthError} `UNSUPPORTED` where it is not there */
export async function runWay(
  argv: readonly string[],
  { access, signal, env = {} }: RunWay,
): Promise<ExecResult> {
  const result = await access.exec(argv, { env, signal, maxBytes: longestOutput });
  if (result.code === 127 || result.code === 126) throw noStacks(`there is no ${argv[0]}`);
  return result;
}

export const noStacks = (reason: string) => new PthError("UNSUPPORTED", oneLine(reason, 300));

/** Tells why a debugger could not attach, from what it printed. */
export function attachFailure(text: string, program: string): string {
  if (/Operation not permitted|ptrace: |not permitted|EPERM/i.test(text)) {
    return `${program} may not trace the process (ptrace is not permitted here)`;
  }
  if (/No such process|ESRCH/i.test(text)) return "the process is gone";
  return `${program} gave no stacks: ${oneLine(text, 200)}`;
}
