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
  /** True where the process itself is judged to be stuck, not the tree alone. */
  isStuck?: boolean;
  command?: WatchedCommand | undefined;
  /** Stacks that gdb has taken of it already. */
  byGdb?: readonly ThreadStack[] | undefined;
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
  /** True where it traces the process, which may not be permitted. */
  traces?: boolean;
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

/** Starts a program; the shell tells everywhere alike where there is none. */
const started = ["sh", "-c", 'command -v "$1" >/dev/null || exit 127; exec "$@"', "sh"];

/** Runs a program that takes stacks. @throws {PthError} `UNSUPPORTED` where it is not there */
export async function runWay(
  argv: readonly string[],
  { access, signal, env = {} }: RunWay,
): Promise<ExecResult> {
  const result = await access.exec([...started, ...argv], { env, signal, maxBytes: longestOutput });
  if (result.code === 127 || result.code === 126) throw noStacks(`there is no ${argv[0]}`);
  return result;
}

export const noStacks = (reason: string) => new PthError("UNSUPPORTED", oneLine(reason, 300));

/** The process may not be traced: no other way that traces gives more. */
export class TracingRefused extends PthError {
  constructor(program: string) {
    super("UNSUPPORTED", `${program} may not trace it`);
  }
}

/** Native stacks of Java say nothing, and those of Node only where it is stuck in its own machinery. */
export const hasNativeStacks = ({ process: { runtime }, isStuck }: StackTarget): boolean =>
  runtime !== "java" && (runtime !== "node" || isStuck === true);

/** Failure of a debugger, from what it printed. */
export function attachFailure(text: string, program: string): PthError {
  if (/No such process|No such file or directory|ESRCH/i.test(text)) return noStacks("the process is gone");
  if (/not permitted|Permission denied|ptrace: |EPERM/i.test(text)) return new TracingRefused(program);
  return noStacks(`${program} gave no stacks: ${oneLine(text, 200)}`);
}

/** A frame of which the address alone is known, and the file that it lies in. */
export const nameless = (address: string, file: string | undefined): string =>
  file === undefined ? address : `${address} in ${file.split("/").at(-1)}`;

/** Notes frames without names. */
export function namelessNotes(threads: readonly ThreadStack[], { pid, runtime }: SampledProcess): string[] {
  const frames = threads.flatMap((thread) => thread.frames);
  // Libraries are stripped everywhere.
  const without =
    frames.filter((frame) => /^0x[0-9a-f]+(?: in (?!.*\.so(?:\.|$))|$)/.test(frame.function)).length;
  if (without === 0 || runtime !== undefined) return [];
  return [
    `process ${pid}: ${without} of ${frames.length} frames have no names: its symbols were stripped; ` +
    "build it with debug information, and do not strip it",
  ];
}
