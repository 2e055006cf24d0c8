import { describeThread } from "../describe_thread.ts";
import { defineStackWay, noStacks } from "./stack_way.ts";

/** The last way: what each thread waits for, without any stack. */
export const waitStacks = defineStackWay({
  name: "/proc",
  fits: () => true,
  capture(_access, { process: { pid }, sample }) {
    const threads = sample.threads.filter((thread) => thread.pid === pid);
    if (threads.length === 0) return Promise.reject(noStacks("the process is gone"));
    const notes = sample.unreadable
      ? [
        `process ${pid}: the system calls of its threads may not be read: the kernel's names of their waits are told`,
      ]
      : [];
    return Promise.resolve({
      notes,
      threads: threads.map((thread) => ({
        pid,
        tid: thread.tid,
        name: thread.name,
        frames: [{ function: describeThread(thread, sample) }],
      })),
    });
  },
});
