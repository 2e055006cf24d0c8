/** Figures in the files that the kernel keeps of processes and control groups. */
import type { ServerUsage } from "./gauge.ts";

/** Everything that is known of one process; what cannot be read is "". */
export interface ProcessFiles {
  /** `/proc/<pid>/task/<tid>/schedstat` of each thread. */
  schedstats: string[];
  status: string;
  io: string;
}

const field = (text: string, name: string): number | undefined => {
  const found = new RegExp(`^${name}:?\\s+(\\d+)`, "m").exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
};

/** The sum of what is known; undefined where nothing is. */
export function sum(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((total, value) => total + value, 0);
}

/** `schedstat` has nanoseconds on a processor, where `stat` has hundredths of a second. */
export function usageOfProcesses(processes: readonly ProcessFiles[]): ServerUsage {
  const kilobytes = (name: string) => sum(processes.map(({ status }) => field(status, name)));
  const times = processes.flatMap(({ schedstats }) => schedstats.map((text) => Number.parseInt(text)));
  const nanoseconds = sum(times.filter(Number.isFinite));
  const [memory, peak] = [kilobytes("VmRSS"), kilobytes("VmHWM")];
  return definedUsage({
    cpuMs: nanoseconds === undefined ? undefined : nanoseconds / 1e6,
    memoryBytes: memory === undefined ? undefined : memory * 1024,
    peakBytes: peak === undefined ? undefined : peak * 1024,
    readBytes: sum(processes.map(({ io }) => field(io, "read_bytes"))),
    writtenBytes: sum(processes.map(({ io }) => field(io, "write_bytes"))),
  });
}

export const definedUsage = (
  usage: { [Key in keyof ServerUsage]: ServerUsage[Key] | undefined },
): ServerUsage => Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== undefined));

/** Where each controller keeps a process, by the lines of `/proc/<pid>/cgroup`; version 2 has one place for all. */
export function groupsOf(text: string): { one: Map<string, string>; two: string | undefined } {
  const one = new Map<string, string>();
  let two: string | undefined;
  for (const line of text.split("\n")) {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (controllers === undefined || path === undefined) continue;
    if (controllers === "") two = path;
    else for (const controller of controllers.split(",")) one.set(controller, path);
  }
  return { one, two };
}

/** `cpu.stat` of version 2. */
export const cpuStatMs = (text: string | undefined): number | undefined => {
  const microseconds = field(text ?? "", "usage_usec");
  return microseconds === undefined ? undefined : microseconds / 1000;
};

/** `blkio.throttle.io_service_bytes` of version 1, or `io.stat` of version 2: all devices together. */
export function ioBytes(text: string | undefined): { read: number; written: number } | undefined {
  if (text === undefined) return undefined;
  const all = (pattern: RegExp) =>
    [...text.matchAll(pattern)].reduce((total, [, bytes]) => total + Number(bytes), 0);
  return text.includes("rbytes=")
    ? { read: all(/rbytes=(\d+)/g), written: all(/wbytes=(\d+)/g) }
    : { read: all(/^\S+ Read (\d+)$/gm), written: all(/^\S+ Write (\d+)$/gm) };
}
