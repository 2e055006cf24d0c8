import type { ProcessSample, SampledThread } from "../../machines/model/stuck.ts";

const listed = (words: string[]) => words.length === 0 ? "nothing" : words.join(", ");

/** Waits by the functions of the kernel in which they are, where their system calls may not be read. */
const kernelWaits: readonly [RegExp, string][] = [
  [/^futex_(?:do_)?wait/, "waits for a lock or a condition"],
  [/^do_wait(?:$|\.)/, "waits for the end of a child"],
  [/nanosleep/, "sleeps"],
  [/pipe_read/, "waits for input from a pipe"],
  [/pipe_write/, "waits until a pipe takes its output"],
  [/^(?:ep_poll|do_epoll_wait|poll_schedule_timeout|do_poll|do_select)/, "waits in its event loop"],
  [/^(?:inet_csk_accept|wait_for_more_packets|unix_stream_|sk_wait_data)/, "waits for a socket"],
];

/** Describes one thread and its wait as one clause: `worker-1 (1234) waits for a lock that worker-2 (1235) holds`. */
export function describeThread(thread: SampledThread, { threads, processes }: ProcessSample): string {
  const named = (tid: number) => {
    const other = threads.find((each) => each.tid === tid);
    return other === undefined ? `thread ${tid}` : nameOf(other);
  };
  return `${nameOf(thread)} ${waitOf(thread)}`;

  function waitOf({ tid, pid, wait, leftMs, busy, cpu }: SampledThread): string {
    const limit = leftMs === undefined ? "" : `, for ${Math.ceil(leftMs / 1000)} s at the most`;
    switch (wait.kind) {
      case "running":
        return busy ? `computes, at ${Math.round(cpu * 100)} % of a processor` : "runs";
      case "lock":
        if (wait.owner === tid) return "waits for a lock that it holds itself";
        return wait.owner === undefined
          ? `waits for a lock or a condition${limit}`
          : `waits for a lock that ${named(wait.owner)} holds${limit}`;
      case "join":
        return `waits for the end of ${named(wait.target)}${limit}`;
      case "child": {
        const children = processes.filter(({ parent }) => parent === pid).map((child) => child.pid);
        const whom = wait.target === undefined ? children.map(named) : [named(wait.target)];
        return `waits for the end of ${whom.length === 0 ? "a child" : listed(whom)}`;
      }
      case "timer":
        return leftMs === undefined ? "sleeps" : `sleeps for ${Math.ceil(leftMs / 1000)} s more`;
      case "input":
        return `waits for input from ${wait.from}`;
      case "output":
        return `waits until ${wait.to} takes its output`;
      case "event_loop":
        return `waits in its event loop for ${listed(wait.watched)}${limit}`;
      case "signal":
        return "waits for a signal";
      case "stopped":
        return "is stopped";
      case "disk":
        return "waits for a device";
      case "other":
        return kernelWaits.find(([place]) => place.test(wait.call))?.[1] ?? `waits in ${wait.call}`;
    }
  }
}

const nameOf = ({ name, tid }: SampledThread) => `${name.replaceAll(/[^\x20-\x7e]/g, "?")} (${tid})`;
