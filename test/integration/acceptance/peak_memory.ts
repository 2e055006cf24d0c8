/** What a process holds at its peak, without the processes that it starts. */
import { readFileSync } from "node:fs";

/** Looks now and then; the kernel keeps the peak until the process ends. */
export function peakMegabytes(pid: number): { stop(): number } {
  let kilobytes = 0;
  const look = () => {
    try {
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      kilobytes = Math.max(kilobytes, Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0));
    } catch {
      // It has ended; what was seen last stands.
    }
  };
  const timer = setInterval(look, 100);
  return {
    stop() {
      look();
      clearInterval(timer);
      return Math.round(kilobytes / 1024);
    },
  };
}
