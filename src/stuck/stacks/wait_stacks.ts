import { describeThread } from "../describe_thread.ts";
import { defineStackWay, noStacks } from "./stack_way.ts";

/** The last way: what each thread waits for, without any stack. */
export const waitStacks = defineStackWay({
  name: "/proc",
  fits: () => true,
  capture(_access, { process: { pid }, sample }) {
    const threads = sample.threads.filter((thread) => thread.pid === pid);
    if (threads.length === 0) return Promise.reject(noStacks("the process is gone"));
    return Promise.resolve({
      threads: threads.map((thread) => ({
        pid,
        tid: thread.tid,
        name: thread.name,
        frames: [{ function: describeThread(thread, sample) }],
      })),
    });
  },
});
