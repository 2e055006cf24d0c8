/**
 * Keeps apart the commands that begin in a container and the snapshots that freeze it. A command that is caught between
 * its start and its first instruction holds the engine's lock on the container, which then is never thawed (seen with
 * engine 20.10: the snapshot, and all that is asked of the container later, waits for ever).
 */
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
/** How often, and how long at most, a command is asked whether it runs by now, in ms. */
const askEvery = 10;
const askFor = 10_000;

function gateOf(containerId: string): Gate {
  const known = gates.get(containerId);
  if (known) return known;
  const gate: Gate = { underway: new Set() };
  gates.set(containerId, gate);
  return gate;
}

/** A gate may be gone by the time when its container is thawed, and another one in its place. */
async function thawed(containerId: string): Promise<Gate> {
  for (;;) {
    const gate = gateOf(containerId);
    if (!gate.frozen) return gate;
    await gate.frozen;
  }
}

/** Announces a command, once none of its container's snapshots is under way. `ended` has to be called when it is over. */
export async function announce(containerId: string): Promise<Underway & { ended(): void }> {
  const gate = await thawed(containerId);
  const command: Underway & { ended(): void } = {
    ended() {
      gate.underway.delete(command);
      if (gate.underway.size === 0 && !gate.frozen) gates.delete(containerId);
    },
  };
  gate.underway.add(command);
  return command;
}

/** Does what freezes the container, at a time when no command is just beginning in it. */
export async function whileNoneBegins<T>(containerId: string, work: () => Promise<T>): Promise<T> {
  const gate = await thawed(containerId);
  let thaw = () => {};
  gate.frozen = new Promise<void>((resolve) => thaw = resolve);
  try {
    await Promise.all([...gate.underway].map((command) => untilBegun(gate, command)));
    return await work();
  } finally {
    delete gate.frozen;
    if (gate.underway.size === 0) gates.delete(containerId);
    thaw();
  }
}

async function untilBegun(gate: Gate, command: Underway): Promise<void> {
  const deadline = performance.now() + askFor;
  while (gate.underway.has(command) && performance.now() < deadline) {
    if (command.exec && await hasBegun(command.exec)) return;
    await new Promise((resolve) => setTimeout(resolve, askEvery));
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
