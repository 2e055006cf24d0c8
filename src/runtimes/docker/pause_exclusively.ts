/**
 * Keeps apart the commands that begin in a container and the snapshots that freeze it. A command that is caught between
 * its start and its first instruction holds the engine's lock on the container, which then is never thawed (seen with
 * engine 20.10: the snapshot, and all that is asked of the container later, waits for ever).
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Exec } from "dockerode";

/** One command, from before it is made until it has ended. */
interface Underway {
  exec?: Exec;
}

interface Gate {
  underway: Set<Underway>;
  /** While the container is frozen, or about to be. */
  frozen?: Promise<void>;
}

const gates = new Map<string, Gate>();
/** Interval and limit, in ms, of asking whether a command runs by now. */
const askEvery = 10;
const askFor = 10_000;

function gateOf(containerId: string): Gate {
  const known = gates.get(containerId);
  if (known) return known;
  const gate: Gate = { underway: new Set() };
  gates.set(containerId, gate);
  return gate;
}

/**
 * Takes the container's gate once it is thawed, in the same moment: between two moments another may freeze it. A gate may
 * be gone by then, and another one in its place.
 */
async function onceThawed<T>(containerId: string, take: (gate: Gate) => T): Promise<T> {
  for (;;) {
    const gate = gateOf(containerId);
    if (!gate.frozen) return take(gate);
    await gate.frozen;
  }
}

function forget(containerId: string, gate: Gate): void {
  if (gate.underway.size === 0 && !gate.frozen && gates.get(containerId) === gate) gates.delete(containerId);
}

/** Announces a command, once none of its container's snapshots is under way. `ended` has to be called when it is over. */
export const lockAgainstPause = (containerId: string): Promise<Underway & { ended(): void }> =>
  onceThawed(containerId, (gate) => {
    const command: Underway & { ended(): void } = {
      ended() {
        gate.underway.delete(command);
        forget(containerId, gate);
      },
    };
    gate.underway.add(command);
    return command;
  });

/** Whether this process has it frozen, or is about to. */
export const isBeingPaused = (containerId: string): boolean => gates.get(containerId)?.frozen !== undefined;

/** Does what freezes the container, at a time when no command is just beginning in it. */
export async function pauseExclusively<T>(containerId: string, work: () => Promise<T>): Promise<T> {
  let thaw = () => {};
  const gate = await onceThawed(containerId, (gate) => {
    gate.frozen = new Promise<void>((resolve) => thaw = resolve);
    return gate;
  });
  try {
    await Promise.all([...gate.underway].map((command) => untilBegun(gate, command)));
    return await work();
  } finally {
    delete gate.frozen;
    forget(containerId, gate);
    thaw();
  }
}

async function untilBegun(gate: Gate, command: Underway): Promise<void> {
  const deadline = performance.now() + askFor;
  while (gate.underway.has(command) && performance.now() < deadline) {
    if (command.exec && await hasBegun(command.exec)) return;
    await sleep(askEvery);
  }
}

async function hasBegun(exec: Exec): Promise<boolean> {
  try {
    const { Running, Pid, ExitCode } = await exec.inspect();
    return Pid > 0 || (!Running && ExitCode !== null);
  } catch {
    return true; // the engine does not know it any more, or is gone
  }
}
