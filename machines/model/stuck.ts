/** Threads of a process tree, as samples show them, and what follows for those that wait. */

/** Reason why one thread waits. `running` did something since the sample before. */
export type ThreadWait =
  | { kind: "running" }
  | { kind: "lock"; address: string; owner?: number }
  | { kind: "join"; target: number }
  | { kind: "child"; target?: number }
  | { kind: "timer"; leftMs?: number }
  | { kind: "input"; from: string }
  | { kind: "output"; to: string }
  | { kind: "event_loop"; watched: string[] }
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
  /** Belongs to the test runner or to the language's runtime. */
  runner: boolean;
}

/** Judgement of one sample. A certain one is proven by how threads wait for each other; a suspected one is a guess. */
export type StuckJudgement =
  | { kind: "working" }
  | { kind: "waiting"; for: "timer" | "input" | "child" | "lock" | "signal" | "other"; detail: string }
  | { kind: "deadlock"; certain: boolean; cycle: number[]; detail: string }
  | { kind: "infinite_loop"; certain: boolean; threads: number[]; detail: string }
  /** The earliest wake-up lies beyond the time limit. */
  | { kind: "beyond_timeout"; certain: boolean; wakesInMs: number; detail: string }
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
  /** Names of threads, each waiting for the next. */
  cycle?: string[];
}
