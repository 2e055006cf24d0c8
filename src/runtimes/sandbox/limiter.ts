/** CPU and memory limits by control groups, of version 1 or 2, where this process may make some. */
import { setTimeout as sleep } from "node:timers/promises";
import { dirname, join } from "node:path";
import {
  isNotFound,
  mkdir,
  pathExists,
  readTextIfExists,
  remove,
  writeTextFile,
} from "../../platform/files.ts";
import { canMakeFolderIn } from "../../platform/writable.ts";
import { pidsLimit } from "../shared/limits.ts";
import type { Resources } from "../../../machines/model/environment.ts";
import { runCommand } from "../../platform/process.ts";

export interface Limiter {
  /** Folders of the groups made for one sandbox. */
  groups: string[];
  enforced: { cpus: boolean; memory: boolean };
  /** Limit of processes and threads at once; absent where there is none. */
  pids?: number;
}

const base = "/sys/fs/cgroup";
export const noLimiter: Limiter = { groups: [], enforced: { cpus: false, memory: false } };

/** Makes the groups that the limits need; what cannot be limited is stated, not an error. */
export async function makeLimiter(name: string, { cpus, memoryMB }: Resources): Promise<Limiter> {
  const limiter: Limiter = { groups: [], enforced: { cpus: false, memory: false } };
  const own = await readTextIfExists("/proc/self/cgroup") ?? "";
  if (cpus !== undefined) limiter.enforced.cpus = await limit(limiter, own, "cpu", name, cpuFiles(cpus));
  const pids = pidsLimit();
  const most = { "pids.max": String(pids) };
  if (await limit(limiter, own, "pids", name, { one: most, two: most })) limiter.pids = pids;
  if (memoryMB !== undefined) {
    limiter.enforced.memory = await limit(limiter, own, "memory", name, memoryFiles(memoryMB));
  }
  return limiter;
}

type Files = { one: Record<string, string>; two: Record<string, string> };

const cpuFiles = (cpus: number): Files => ({
  one: {
    "cpu.cfs_period_us": "100000",
    "cpu.cfs_quota_us": String(Math.max(1000, Math.round(cpus * 100000))),
  },
  two: { "cpu.max": `${Math.max(1000, Math.round(cpus * 100000))} 100000` },
});

const memoryFiles = (megabytes: number): Files => ({
  one: { "memory.limit_in_bytes": String(megabytes * 1024 * 1024) },
  two: { "memory.max": String(megabytes * 1024 * 1024), "memory.swap.max": "0" },
});

async function limit(limiter: Limiter, own: string, controller: string, name: string, files: Files) {
  const one = own.match(new RegExp(`^\\d+:(?:[^:]*,)?${controller}(?:,[^:]*)?:(.*)$`, "m"))?.[1];
  const group = one !== undefined
    ? await groupOfVersion1(controller, one, name)
    : await groupOfVersion2(controller, own.match(/^0::(.*)$/m)?.[1] ?? "/", name);
  if (group === undefined) return false;
  try {
    await mkdir(group, { recursive: true });
    if (!limiter.groups.includes(group)) limiter.groups.push(group);
    for (const [file, value] of Object.entries(one !== undefined ? files.one : files.two)) {
      // Swap accounting may be compiled out: a limit on memory alone still holds.
      if (file.includes("swap") && !(await pathExists(join(group, file)))) continue;
      await writeTextFile(join(group, file), value);
    }
    return true;
  } catch {
    return false; // read-only or delegated without this controller: "not enforced"
  }
}

/** Below the group that PTH itself is in, so that its own limits hold too. */
async function groupOfVersion1(controller: string, own: string, name: string): Promise<string | undefined> {
  for (const parent of [join(base, controller, own), join(base, controller)]) {
    if (await pathExists(parent)) return join(parent, name);
  }
  return undefined;
}

/** Makes a group next to PTH's own: one that holds processes may not delegate controllers. */
async function groupOfVersion2(controller: string, own: string, name: string): Promise<string | undefined> {
  const parent = join(base, dirname(own));
  if (!(await pathExists(join(parent, "cgroup.controllers")))) return undefined;
  try {
    await writeTextFile(join(parent, "cgroup.subtree_control"), `+${controller}`);
    return join(parent, name);
  } catch {
    return undefined;
  }
}

/** Words before a command that put it into the groups; none without groups. */
export const joining = (groups: readonly string[]): string[] => shellBefore(groups.map(joinGroup));

/** Value that makes a process the first victim. */
export const victimScore = 500;

/**
 * Words like `joining` that also make the command the first victim where memory is short: the sandbox's own first process may
 * be as large as a small command, and everything would end with it.
 */
export const joiningAsVictim = (groups: readonly string[]): string[] =>
  // Refused only to who is a better victim already.
  shellBefore([
    ...groups.map(joinGroup),
    ...groups.slice(0, 1).map(() => `{ echo ${victimScore} >/proc/self/oom_score_adj; } 2>/dev/null`),
  ]);

const joinGroup = (group: string): string => `echo 0 >'${group}/cgroup.procs'`;
const shellBefore = (steps: readonly string[]): string[] =>
  steps.length === 0 ? [] : ["sh", "-c", `${steps.join("; ")}; exec "$@"`, "sh"];

/** Removes the groups of a sandbox whose processes have ended. */
export async function dropGroups(groups: readonly string[]): Promise<void> {
  for (const group of groups) {
    for (let attempt = 0;; attempt++) {
      try {
        await remove(group);
        break;
      } catch (error) {
        if (isNotFound(error)) break;
        if (attempt === 40) throw error;
        await sleep(5 * attempt); // the kernel lets go of ended processes a little later, on a busy machine by seconds
      }
    }
  }
}

export interface CgroupUsage {
  /** Memory of processes, where the sandbox's disk is in memory: that of files is a figure of its own. */
  memoryUsedPercent?: number;
  memoryForFilesPercent?: number;
  oomKills?: number;
}

/**
 * Memory of a sandbox as its group tells it.
 * @param diskInMemory Whether its files lie in a tmpfs, which the kernel counts as memory
 */
export async function usageOf(
  groups: readonly string[],
  memoryMB: number | undefined,
  diskInMemory: boolean,
): Promise<CgroupUsage> {
  for (const group of groups) {
    const read = async (...names: string[]) => {
      for (const name of names) {
        const text = await readTextIfExists(join(group, name));
        if (text !== undefined) return text;
      }
      return undefined;
    };
    const used = await read("memory.current", "memory.usage_in_bytes");
    if (used === undefined || memoryMB === undefined) continue;
    const kills = (await read("memory.events", "memory.oom_control"))?.match(/^oom_kill (\d+)$/m)?.[1];
    const stat = diskInMemory ? await read("memory.stat") : undefined;
    // With those of groups below, in version 1.
    const files = Number((stat?.match(/^total_shmem (\d+)$/m) ?? stat?.match(/^shmem (\d+)$/m))?.[1] ?? 0);
    const share = (bytes: number) => Math.min(100, Math.round(bytes / (memoryMB * 1024 * 1024) * 1000) / 10);
    return {
      memoryUsedPercent: share(Math.max(0, Number(used) - files)),
      ...(files > 0 ? { memoryForFilesPercent: share(files) } : {}),
      oomKills: Number(kills ?? 0),
    };
  }
  return {};
}

let known: { cpus: boolean; memory: boolean } | undefined;

/** Finds the limits that this machine lets PTH enforce by groups, as far as making one shows. */
export function limitable(): { cpus: boolean; memory: boolean } {
  const two = () => canMakeFolderIn(base, "cgroup.procs");
  const one = (controller: string) => canMakeFolderIn(join(base, controller), "cgroup.procs");
  return known ??= { cpus: one("cpu") || two(), memory: one("memory") || two() };
}

/** Words before a command; none when the limit cannot be kept this way. */
export async function affinityFor(cpus: number | undefined): Promise<string[]> {
  if (cpus === undefined || !Number.isInteger(cpus) || cpus < 1) return [];
  const status = await readTextIfExists("/proc/self/status") ?? "";
  const allowed = cpuList(status.match(/^Cpus_allowed_list:\s*(\S+)$/m)?.[1] ?? "").slice(0, cpus);
  const words = ["taskset", "--cpu-list", allowed.join(",")];
  const works = await runCommand([...words, "true"]).then((result) => result.code === 0, () => false);
  return allowed.length > 0 && works ? words : [];
}

/** "0-2,5" as [0, 1, 2, 5]. */
export function cpuList(text: string): number[] {
  return text.split(",").filter((part) => part !== "").flatMap((part) => {
    const [from, to = from] = part.split("-").map(Number) as [number, number?];
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
}
