/** The host's side of commands in a box: an `nsenter` each, which is not of the box and does not end with it. */
import { signalProcess } from "../../platform/process.ts";
import { commandOf, isProcessAlive, type ProcessId, taggedPids } from "../../platform/proc.ts";

/**
 * Kills those of a life that has ended. Each ends by itself as soon as it sees its command's end; but one whose command
 * was stopped has stopped itself with it, and would keep the box's control groups, and its own pipes, for good.
 */
export async function endEntered(environmentId: string, init: ProcessId): Promise<void> {
  if (await isProcessAlive(init)) return;
  for (const pid of await taggedPids("PTH_ENVIRONMENT", environmentId)) {
    const words = await commandOf(pid);
    if (words[words.indexOf("--target") + 1] === String(init.pid)) signalProcess(pid, "SIGKILL");
  }
}
