/** Threads of a process tree, as samples show them, and what follows for those that wait. */

/** Reason why one thread waits. `running` did something since the sample before. */
export type ThreadWait =
  | { kind: "running" }
  /** `shared`: threads of other processes may give it free, too. */
  | { kind: "lock"; address: string; owner?: number; shared?: boolean }
  | { kind: "join"; target: number }
  | { kind: "child"; target?: number }
  | { kind: "timer" }
  /** `peers`: processes of the tree that alone hold the other end; absent: it leads out of the tree, or may. */
  | { kind: "input"; from: string; peers?: number[] }
  | { kind: "output"; to: string; peers?: number[] }
  | { kind: "event_loop"; watched: string[]; peers?: number[] }
  | { kind: "signal" }
  | { kind: "stopped" }
  | { kind: "disk" }
  | { kind: "other"; call: string };

export interface SampledThread {
  pid: number;
  tid: number;
  name: string;
  wait: ThreadWait;
  /** True if nothing about it changed since the sample before. */
  frozen: boolean;
  /** Share of one processor since the sample before. */
  cpu: number;
  /** Computed since the sample before, without a system call that waited and without new memory. */
  busy?: boolean;
  /** Ms, at the least, until its wait ends by itself; absent: never, or not known to. */
  leftMs?: number;
  /** Length of its wait in ms, where it was asked for as a length. */
  waitMs?: number;
}

export interface SampledProcess {
  pid: number;
  /** 0 for the root of the tree. */
  parent: number;
  /** A timer of the process may interrupt any of its waits. */
  alarm: boolean;
  /** Absent where its program has none that is known. */
  runtime?: "node" | "go" | "java";
  /** File name of its program, where that may be read. */
  program?: string;
}

/** A process tree at one moment. Without any process, it is gone. */
export interface ProcessSample {
  processes: SampledProcess[];
  threads: SampledThread[];
  /** Not all threads or processes are in it. */
  truncated?: boolean;
  /** Reasons of waits could not be read: no permission to trace. */
  unreadable?: boolean;
  /** Time of a processor that this sample took. */
  costMs: number;
  /** Time in ms of a processor that the sampler has spent, and for which it has lived. */
  spentMs: number;
  aliveMs: number;
}

/** Test runners with a thread of their own, whose waits say nothing about a test. */
export type RunnerThreads = "libtest" | "node" | "go" | "surefire" | "gradle";

/** Judgement of one sample. A certain one is proven by how threads wait for each other; a suspected one is a guess. */
export type StuckJudgement =
  | { kind: "working" }
  | { kind: "waiting"; for: "timer" | "input" | "child" | "lock" | "signal" | "other"; detail: string }
  | { kind: "deadlock"; certain: boolean; threads: number[]; cycle: number[]; detail: string }
  /** `alone`: nothing else in the tree can end it, so that a repetition of its state proves it. */
  | { kind: "infinite_loop"; certain: boolean; threads: number[]; alone: boolean; detail: string }
  /** The earliest wake-up lies beyond the time limit. */
  | { kind: "beyond_timeout"; certain: boolean; threads: number[]; wakesInMs: number; detail: string }
  | { kind: "gone" };

export interface StackFrame {
  function: string;
  file?: string;
  line?: number;
  arguments?: Record<string, string>;
}

export interface ThreadStack {
  pid: number;
  tid?: number;
  name: string;
  /** Innermost first. */
  frames: StackFrame[];
  /** Locks that it holds, and the one that it waits for, as far as the language tells. */
  holds?: LockOfThread[];
  waitsFor?: { lock: string; heldBy?: string };
}

export interface LockOfThread {
  lock: string;
  at?: string;
  /** Debug information may be stale after a lock was dropped early. */
  certain: boolean;
}

/** Stacks of a process tree, with how they were taken, and what could not be had and why. */
export interface CapturedStacks {
  threads: ThreadStack[];
  method: string;
  notes: string[];
  /** Time in ms that taking them took. */
  tookMs?: number;
  /** The language's own runtime knows of no deadlock, which the sample alone could not tell. */
  refuted?: boolean;
  /** Names of threads, each waiting for the next, as the language's own runtime or the owners of locks tell. */
  cycle?: string[];
}

/** Result of an attempt to prove that a thread computes without end. */
export interface LoopProof {
  proven: boolean;
  /** Finding, or reason why there is none. */
  detail: string;
  /** Stacks of its process, taken meanwhile. */
  stacks?: { pid: number; threads: ThreadStack[] };
  /** Time in ms that it took. */
  tookMs?: number;
}

/** Measures of a judgement that is certain, in ms. */
export interface StuckFigures {
  /** From the first sample that said so until it was proven, and until the stacks were there. */
  provenAfterMs: number;
  verdictAfterMs: number;
  /** Time of a processor that the sampler has spent, of the time for which it has watched. */
  samplerSpentMs: number;
  samplerAliveMs: number;
}

/** Facts that the detector tells its parent. */
export type StuckFact =
  | { type: "stuck.certain"; judgement: StuckJudgement; stacks: CapturedStacks; figures?: StuckFigures }
  | { type: "stuck.suspected"; judgement: StuckJudgement; stacks?: CapturedStacks }
  /** The tree of which it was suspected goes on. */
  | { type: "stuck.cleared" }
  /** The time limit alone ends the run from now on. */
  | { type: "stuck.not_watched"; reason: string };

/** One thread of a tree that answers nothing, with its wait in words. */
export interface HungThread {
  pid: number;
  tid: number;
  /** "node (12) waits in its event loop for its stdin". */
  waits: string;
  /** Absent where its program has none that is known. */
  runtime?: NonNullable<SampledProcess["runtime"]>;
  /** Innermost first; absent where they cannot be had without holding the process up. */
  frames?: StackFrame[];
}

/** Finding of one inspection of a process tree that answers nothing. */
export interface HangInspection {
  /** `not_inspected`: the reason is in `says`. */
  kind: StuckJudgement["kind"] | "not_inspected";
  /** Set where nothing goes on by itself. */
  certain?: boolean;
  /** One line, with its judgement: "hung: …", "not hung: …", "not inspected: …". */
  says: string;
  /** Threads that tell most, the main thread of each process among them. */
  threads: HungThread[];
}
