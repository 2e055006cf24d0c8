/** A gauge of a server whose processes this machine sees, whatever environment they run in. */
import { join } from "node:path";
import { readDir, readTextFile, readTextIfExists, writeTextFile } from "../platform/files.ts";
import { statOf, taggedPids } from "../platform/proc.ts";
import type { Gauge, ServerUsage } from "./gauge.ts";
import {
  cpuStatMs,
  definedUsage,
  groupsOf,
  ioBytes,
  type ProcessFiles,
  usageOfProcesses,
} from "./process_files.ts";

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
