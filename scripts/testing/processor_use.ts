/** Measures what the processors did while tests ran: whether more jobs at a time would help, or fewer. */
import { cpus } from "node:os";

/** Shares of all processors' time, 0 to 1. */
export interface ProcessorUse {
  programs: number;
  kernel: number;
  idle: number;
}

/** Begins to measure; the result tells the use since then, by everything on the machine. */
export function measureProcessors(read: typeof cpus = cpus): () => ProcessorUse {
  const before = summed(read);
  return () => {
    const now = summed(read);
    const [programs, kernel, idle] = [0, 1, 2].map((at) => now[at]! - before[at]!) as [
      number,
      number,
      number,
    ];
    const all = Math.max(1, programs + kernel + idle);
    return { programs: programs / all, kernel: kernel / all, idle: idle / all };
  };
}

/** Ms for programs, for the kernel, and idle, of all processors together. */
const summed = (read: typeof cpus): [number, number, number] =>
  read().reduce(
    (
      sum,
      { times: { user, nice, sys, irq, idle } },
    ) => [sum[0] + user + nice, sum[1] + sys + irq, sum[2] + idle],
    [0, 0, 0] as [number, number, number],
  );
