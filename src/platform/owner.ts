/**
 * Owner of a lock or a register: a process, known by pid and start time, so that a reused pid is not taken
 * for it.
 */
import { processId as pid } from "./host.ts";
import { signalProcess } from "./process.ts";
import { statOf } from "./proc.ts";

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
    // EPERM: there is one, but it is somebody else's.
    if ((error as { code?: string }).code === "EPERM") return true;
    throw error;
  }
}

const ifKnown = (startTime: string | undefined) => (startTime === undefined ? {} : { startTime });
