/** Reads a server's resource usage before and after a series of calls, cheaply enough to do so for each tool. */
import { join } from "node:path";
import { readDir, readTextFile, readTextIfExists, writeTextFile } from "../platform/files.ts";
import { statOf, taggedPids } from "../platform/proc.ts";
import { sections } from "../runtimes/shared/sections.ts";

/** Sums since some beginning, of all processes of the server; absent if not known. */
export interface ServerUsage {
  cpuMs?: number;
  memoryBytes?: number;
  /** The most since the last `restart`. */
  peakBytes?: number;
  readBytes?: number;
  writtenBytes?: number;
}

export interface Gauge {
  /** Origin of the figures, for the report. */
  source: string;
  /** Forgets the peak of memory, where the kernel lets it. */
  restart(): Promise<void>;
  read(): Promise<ServerUsage>;
}

/** Files of one process; "" for one that cannot be read. */
interface ProcessFiles {
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
function sum(values: readonly (number | undefined)[]): number | undefined {
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

const definedUsage = (
  usage: { [Key in keyof ServerUsage]: ServerUsage[Key] | undefined },
): ServerUsage => Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== undefined));

/** Paths of a process's control groups, from `/proc/<pid>/cgroup`: one per controller in version 1, one in version 2. */
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

const groupsFolder = "/sys/fs/cgroup";

/**
 * Processes that carry the mark `PTH_INSTANCE=<mark>`; where their environment has a control group of its own, processor time
 * and disk are the group's, which counts children that have ended, too. Undefined where this machine sees none of them.
 */
export async function hostGauge(mark: string): Promise<Gauge | undefined> {
  const find = () => taggedPids("PTH_INSTANCE", mark);
  const [first] = await find();
  if (first === undefined) return undefined;
  const group = await groupFiles(first);
  return {
    source: group.named === undefined
      ? "/proc of the server's processes"
      : `${group.named} and /proc of its processes`,
    async restart() {
      // The kernel's way to forget the peak of a process; refused to other users, who then see the peak since its start.
      for (const pid of await find()) {
        await writeTextFile(`/proc/${pid}/clear_refs`, "5").catch(ignoreRefusal);
      }
    },
    async read(): Promise<ServerUsage> {
      const pids = await find();
      const own = usageOfProcesses(await Promise.all(pids.map(filesOf)));
      return { ...own, ...await group.read() };
    },
  };
}

function ignoreRefusal(): void {}

/** A process may end while it is read, or be another user's. */
const textOf = (path: string): Promise<string> => readTextFile(path).catch(() => "");

async function filesOf(pid: number): Promise<ProcessFiles> {
  const folder = `/proc/${pid}`;
  const threads: string[] = [];
  if (await statOf(pid) === undefined) return { schedstats: [], status: "", io: "" };
  try {
    for await (const { name } of readDir(`${folder}/task`)) threads.push(name);
  } catch {
    // Ended meanwhile.
    return { schedstats: [], status: "", io: "" };
  }
  const [status, io, ...schedstats] = await Promise.all([
    textOf(`${folder}/status`),
    textOf(`${folder}/io`),
    ...threads.map((thread) => textOf(`${folder}/task/${thread}/schedstat`)),
  ]);
  return { schedstats, status: status!, io: io! };
}

/** The group of a process, where it is another one than PTH's own. */
async function groupFiles(pid: number): Promise<{ named?: string; read(): Promise<ServerUsage> }> {
  const [its, own] = [
    groupsOf(await textOf(`/proc/${pid}/cgroup`)),
    groupsOf(await textOf("/proc/self/cgroup")),
  ];
  const ofOne = (controller: string): string | undefined => {
    const path = its.one.get(controller);
    return path === undefined || path === "/" || path === own.one.get(controller)
      ? undefined
      : join(groupsFolder, controller, path);
  };
  const two = its.two !== undefined && its.two !== "/" && its.two !== own.two
    ? join(groupsFolder, its.two)
    : undefined;
  const [cpu, disk] = [ofOne("cpuacct"), ofOne("blkio")];
  if (cpu !== undefined || disk !== undefined) {
    return { named: "cgroup v1 of the environment", read: () => readOne(cpu, disk) };
  }
  if (two !== undefined && await readTextIfExists(join(two, "cpu.stat")) !== undefined) {
    return { named: "cgroup v2 of the environment", read: () => readTwo(two) };
  }
  return { read: () => Promise.resolve({}) };
}

async function readOne(cpu: string | undefined, disk: string | undefined): Promise<ServerUsage> {
  const nanoseconds = cpu && await readTextIfExists(join(cpu, "cpuacct.usage"));
  const io = ioBytes(disk && await readTextIfExists(join(disk, "blkio.throttle.io_service_bytes")));
  return definedUsage({
    cpuMs: nanoseconds === undefined ? undefined : Number(nanoseconds) / 1e6,
    readBytes: io?.read,
    writtenBytes: io?.written,
  });
}

async function readTwo(folder: string): Promise<ServerUsage> {
  const io = ioBytes(await readTextIfExists(join(folder, "io.stat")));
  return definedUsage({
    cpuMs: cpuStatMs(await readTextIfExists(join(folder, "cpu.stat"))),
    readBytes: io?.read,
    writtenBytes: io?.written,
  });
}

/** Runs a POSIX script inside and returns its stdout. The label is passed on stdin, so that no other process has it. */
type RunScriptInside = (script: string, stdin: string) => Promise<string>;

const each = (work: string) => `
read -r mark
for pid in $(grep -lz -x -F -- "PTH_INSTANCE=$mark" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3); do
  ${work}
done
true`;

const readScript = each(`echo '== schedstats'; cat /proc/$pid/task/*/schedstat 2>/dev/null
  echo '== status'; grep -E '^Vm(RSS|HWM):' /proc/$pid/status 2>/dev/null
  echo '== io'; cat /proc/$pid/io 2>/dev/null`);

const restartScript = each("echo 5 2>/dev/null >/proc/$pid/clear_refs");

export function insideGauge(mark: string, run: RunScriptInside): Gauge {
  return {
    source: "/proc of the server's processes, read inside the environment",
    restart: async () => void await run(restartScript, `${mark}\n`),
    read: async () => usageOfProcesses(processesIn(await run(readScript, `${mark}\n`))),
  };
}

function processesIn(text: string): ProcessFiles[] {
  const blocks = text.split(/^(?=== schedstats$)/m).filter((block) => block.startsWith("== schedstats"));
  return blocks.map((block) => {
    const found = sections(block);
    const lines = (name: string) => found.get(name) ?? [];
    return {
      schedstats: lines("schedstats"),
      status: lines("status").join("\n"),
      io: lines("io").join("\n"),
    };
  });
}
