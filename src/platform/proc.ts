/** Processes of the host as /proc tells them. A process may end while it is read: it then counts as absent. */
import { setTimeout as sleep } from "node:timers/promises";
import { readDir, readTextFile } from "./files.ts";
import { signalProcess } from "./process.ts";
import { processId as pid } from "./host.ts";

/** A process for sure: a pid alone may have been given to another one since. */
export interface ProcessId {
  pid: number;
  /** Start time in clock ticks since boot. */
  start: string;
}

async function readProc(path: string): Promise<string | undefined> {
  try {
    return await readTextFile(`/proc/${path}`);
  } catch {
    return undefined; // ended, or another user's
  }
}

export async function allPids(): Promise<number[]> {
  const pids: number[] = [];
  for await (const entry of readDir("/proc")) {
    if (/^\d+$/.test(entry.name)) pids.push(Number(entry.name));
  }
  return pids;
}

interface Stat {
  state: string;
  parent: number;
  group: number;
  flags: number;
  start: string;
}

export async function statOf(pid: number): Promise<Stat | undefined> {
  const text = await readProc(`${pid}/stat`);
  if (text === undefined) return undefined;
  // The name in parentheses may hold anything; fields count from after it.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return {
    state: fields[0]!,
    parent: Number(fields[1]),
    group: Number(fields[2]),
    flags: Number(fields[6]),
    start: fields[19]!,
  };
}

/** The process with its start time, or undefined when there is none (any more). */
export async function identify(pid: number): Promise<ProcessId | undefined> {
  const stat = await statOf(pid);
  return stat && { pid, start: stat.start };
}

async function livingStat({ pid, start }: ProcessId): Promise<Stat | undefined> {
  const stat = await statOf(pid);
  return stat?.start === start && stat.state !== "Z" && stat.state !== "X" ? stat : undefined;
}

/** True while the very process lives; a zombie does not. */
export const isProcessAlive = async (id: ProcessId): Promise<boolean> => await livingStat(id) !== undefined;

/** The kernel's PF_EXITING. */
const exiting = 0x4;

/**
 * True while the very process lives and has not begun to end. The first process of a namespace is on its way for as long
 * as somebody has yet to take note of the end of another one within.
 */
export async function isUp(id: ProcessId): Promise<boolean> {
  const stat = await livingStat(id);
  return stat !== undefined && (stat.flags & exiting) === 0;
}

export async function childrenOf(pid: number): Promise<number[]> {
  const listed = await readProc(`${pid}/task/${pid}/children`);
  if (listed !== undefined && listed !== "") return listed.trim().split(" ").map(Number);
  if (listed !== undefined) return [];
  // A kernel without that file.
  const stats = await Promise.all(
    (await allPids()).map(async (child) => ({ child, stat: await statOf(child) })),
  );
  return stats.filter(({ stat }) => stat?.parent === pid).map(({ child }) => child);
}

/** The pid that the process has in its own, innermost namespace. */
export async function innerPid(pid: number): Promise<number | undefined> {
  const line = (await readProc(`${pid}/status`))?.match(/^NSpid:\s*(.*)$/m)?.[1];
  const inner = line?.trim().split(/\s+/).at(-1);
  return inner === undefined ? undefined : Number(inner);
}

export const environmentOf = async (pid: number): Promise<string[]> =>
  (await readProc(`${pid}/environ`))?.split("\0") ?? [];

/** Words of a process; none when it is gone or another user's. */
export const commandOf = async (pid: number): Promise<string[]> =>
  (await readProc(`${pid}/cmdline`))?.split("\0").slice(0, -1) ?? [];

/** Living processes that carry the variable, detached ones as well. Without a value: any value. */
export async function taggedPids(name: string, value?: string): Promise<number[]> {
  const wanted = value === undefined ? `${name}=` : `${name}=${value}`;
  const matches = (entry: string) => value === undefined ? entry.startsWith(wanted) : entry === wanted;
  const found = await Promise.all((await allPids()).map(async (pid) => {
    if (!(await environmentOf(pid)).some(matches)) return undefined;
    return (await statOf(pid))?.state === "Z" ? undefined : pid;
  }));
  return found.filter((pid) => pid !== undefined);
}

/** Living processes of a group, and all that descends from the leader. */
async function familyOf(leader: number): Promise<number[]> {
  const stats = await Promise.all((await allPids()).map(async (pid) => ({ pid, stat: await statOf(pid) })));
  const living = stats.filter(({ stat }) => stat !== undefined && stat.state !== "Z");
  const family = new Set([leader]);
  for (let size = 0; size !== family.size;) {
    size = family.size;
    for (const { pid, stat } of living) if (family.has(stat!.parent)) family.add(pid);
  }
  return living.filter(({ pid, stat }) => family.has(pid) || stat!.group === leader).map(({ pid }) => pid);
}

/**
 * Kills a process with its group, its descendants and everything that carries the tag, until none is left. Looks again
 * after each round: a process may fork while it is being killed.
 */
export async function endTree(leader: number, tag: { name: string; value: string }): Promise<void> {
  for (let round = 0; round < 50; round++) {
    const pids = new Set([...await familyOf(leader), ...await taggedPids(tag.name, tag.value)]);
    if (!kill(pids)) return;
    await pause();
  }
}

/** Kills everything that carries the variable. */
export async function endTagged(name: string, value: string): Promise<void> {
  for (let round = 0; round < 50; round++) {
    if (!kill(await taggedPids(name, value))) return;
    await pause();
  }
}

function kill(pids: Iterable<number>): boolean {
  let any = false;
  for (const pid of pids) any = signalProcess(pid, "SIGKILL") || any;
  return any;
}

const pause = () => sleep(5);

/** Names in a folder of /proc; none when it is gone or another user's. */
export async function childNames(path: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const entry of readDir(path)) names.push(entry.name);
  } catch {
    return names;
  }
  return names;
}

export interface Owner {
  pid: number;
  /** Clock ticks since boot (field 22 of `/proc/<pid>/stat`); absent where the machine has no `/proc`. */
  startTime?: string;
}

/** Describes this process as an owner. */
export async function thisProcess(): Promise<Owner> {
  return { pid, ...ifKnown(await startTimeOf(pid)) };
}

/** Whether that very process still runs (a zombie does not). */
export async function isOwnerAlive(owner: Owner): Promise<boolean> {
  const startTime = await startTimeOf(owner.pid);
  if (startTime !== undefined) return owner.startTime === undefined || owner.startTime === startTime;
  return owner.startTime === undefined && answersSignals(owner.pid);
}

/** Start time of a living process, in ticks since boot; undefined when there is none, or no `/proc`. */
export async function startTimeOf(processId: number): Promise<string | undefined> {
  const stat = await statOf(processId);
  return stat === undefined || stat.state === "Z" || stat.state === "X" ? undefined : stat.start;
}

function answersSignals(processId: number): boolean {
  try {
    return signalProcess(processId, 0);
  } catch (error) {
    // EPERM: there is one, but another user's.
    if ((error as { code?: string }).code === "EPERM") return true;
    throw error;
  }
}

const ifKnown = (startTime: string | undefined) => (startTime === undefined ? {} : { startTime });
