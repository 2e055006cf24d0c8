/**
 * The agent that runs the commands of a container: the engine takes 45 ms to start one, the agent 1. It is started by the first
 * command in a container in which nothing of a plugin's has run yet, and by no later one: a process that saw it start could
 * get hold of it before it is out of reach (`guest/agent_guard.py`), and could then change its answers without leaving a
 * trace. Where there can be none, or none any more, the engine's exec is the way.
 */
import { Buffer } from "node:buffer";
import { Duplex, PassThrough } from "node:stream";
import type { Exec } from "dockerode";
import { errorMessage } from "../../core/errors.ts";
import { log } from "../../platform/log.ts";
import { agentLoader, greeting, guardedAgentScript } from "../shared/agent/agent_script.ts";
import { type Agent, askedWhileBusy, createAgent } from "../shared/agent/create_agent.ts";
import { demultiplex } from "./demultiplex.ts";
import { abortWithin, type ContainerExec, execInside, plainly, startByEngine } from "./exec.ts";
import { isBeingPaused } from "./pause_exclusively.ts";

export interface ContainerAgent {
  agent: Agent;
  /** The engine's exec that it is. */
  exec: Exec;
  /** Whether it was given up, as it did not answer any more. */
  readonly isSilent: boolean;
  /** Keeps this process from ending while the promise is pending. */
  holdWhile<T>(work: Promise<T>): Promise<T>;
  end(): void;
}

/** By container; "fresh" where nothing has run yet, undefined where there can be none. */
const agents = new Map<string, "fresh" | Promise<ContainerAgent | undefined>>();

/** Announces a container that has just been started: nothing of a plugin's runs in it. */
export const expectAgent = (containerId: string): void => void agents.set(containerId, "fresh");

/** Resolves to the container's agent, which the first call starts; undefined where there is none. Never rejects. */
export function agentOf(inside: ContainerExec): Promise<ContainerAgent | undefined> {
  const known = agents.get(inside.containerId);
  if (known !== "fresh") return known ?? Promise.resolve(undefined);
  const starting = startIn(inside).catch((error) => {
    // The command that asks for it goes the engine's way, and tells what is wrong if something is.
    log.info("a container has no agent", { containerId: inside.containerId, reason: errorMessage(error) });
    return undefined;
  });
  agents.set(inside.containerId, starting);
  return starting;
}

/** Ends a container's agent; none is no error. */
export async function endAgent(containerId: string): Promise<void> {
  const known = agents.get(containerId);
  agents.delete(containerId);
  if (known !== "fresh") (await known)?.end();
}

/** Time that it may take to start, in ms. */
const helloMs = 10_000;

/** By paths that no variable changes: a virtual environment's Python may be any. */
const findPython =
  'for p in /usr/bin/python3 /usr/local/bin/python3; do [ -x "$p" ] && exec "$p" -ISBu -c "$1"; done; ' +
  'echo "there is no python3" >&2; exit 127';

async function startIn(inside: ContainerExec): Promise<ContainerAgent> {
  const script = Buffer.from(guardedAgentScript());
  const { exec, socket } = await startByEngine(
    inside,
    plainly,
    ["sh", "-c", findPython, "sh", agentLoader(script)],
    { cwd: "/" },
    true,
  );
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  let complaints = "";
  stderr.on("data", (piece) => complaints = `${complaints}${piece}`.slice(-2000));
  demultiplex(socket, stdout, stderr);
  socket.write(script);
  const id = crypto.randomUUID();
  const agent = createAgent(Duplex.from({ readable: stdout, writable: socket }), id, greeting, helloMs);
  const end = () => void socket.destroy();
  const hello = await agent.hello;
  if (hello === undefined) {
    end();
    throw new Error(complaints.trim().split("\n").at(-1) || "its agent did not start");
  }
  let isSilent = false;
  const giveUp = () => {
    isSilent = true;
    end();
    void kill(inside, hello.pid);
  };
  askedWhileBusy(agent, () => isBeingPaused(inside.containerId), giveUp);
  return {
    agent,
    exec,
    get isSilent() {
      return isSilent;
    },
    holdWhile: holding(socket),
    end,
  };
}

/** Ends an agent that may be stopped, so that it hears of nothing. */
async function kill(inside: ContainerExec, pid: number): Promise<void> {
  if (!Number.isSafeInteger(pid) || pid <= 1) return;
  const command = ["sh", "-c", 'kill -KILL "$1"', "sh", String(pid)];
  // It ends with its container, at the latest.
  await execInside(inside, command, { cwd: "/", signal: AbortSignal.timeout(abortWithin) }).catch(() => {});
}

/** A connection that is kept open must not keep this process from its end, unless something is waited for. */
function holding(socket: Duplex): ContainerAgent["holdWhile"] {
  const way = socket as Duplex & { ref?(): void; unref?(): void };
  let pending = 0;
  way.unref?.();
  return async (work) => {
    if (pending++ === 0) way.ref?.();
    try {
      return await work;
    } finally {
      if (--pending === 0) way.unref?.();
    }
  };
}
