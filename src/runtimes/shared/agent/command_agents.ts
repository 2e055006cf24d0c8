/**
 * Agents that run the commands of environments in which a plugin is as much root as they are. Each is started by the first
 * command in an environment in which nothing of a plugin's has run yet, and by no later one: a process that saw it start could
 * get hold of it before it is out of reach (`guest/agent_guard.py`), and could then change its answers without leaving a
 * trace. Where there can be none, or none any more, an environment has its other way.
 */
import { Buffer } from "node:buffer";
import { Duplex, type Readable, type Writable } from "node:stream";
import { errorMessage } from "../../../core/errors.ts";
import { log } from "../../../platform/log.ts";
import { agentLoader, greeting, guardedAgentScript } from "./agent_script.ts";
import { type Agent, askedWhileBusy, createAgent } from "./create_agent.ts";

/** A process inside that may become an agent. */
export interface AgentProcess {
  stdin: Writable;
  stdout: Readable;
  stderr: Readable;
  /** Code or signal of its end, once its connection is lost. */
  endReason(): Promise<number | string>;
  /** Ends the connection, and so the agent; repeated calls are no error. */
  end(): void;
  /** Ends one that is stopped, by its pid inside. Never rejects. */
  kill(pid: number): Promise<void>;
  /** Keeps this process from ending, or not. */
  hold(holds: boolean): void;
  /** Whether it cannot answer right now, for a reason of PTH's. */
  isPaused(): boolean;
}

export interface CommandAgent {
  agent: Agent;
  process: AgentProcess;
  /** Whether it was given up, as it did not answer any more. */
  readonly isSilent: boolean;
  /** Whether a command ran that may have ended it: then it is asked before each use. */
  inDoubt: boolean;
  /** Keeps this process from ending while the promise is pending. */
  holdWhile<T>(work: Promise<T>): Promise<T>;
}

/** By environment and life; "fresh" where nothing has run yet, undefined where there can be none. */
const agents = new Map<string, "fresh" | Promise<CommandAgent | undefined>>();

/** Announces an environment that has just been started: nothing of a plugin's runs in it. */
export const expectAgent = (key: string): void => void agents.set(key, "fresh");

/**
 * Resolves to the environment's agent, which the first call starts; undefined where there is none. Never rejects.
 * @param start Starts the words in it, as a process that has all that commands have.
 * @param oomScore What commands get in their `oom_score_adj`; 0 for what `start` gives
 */
export function agentOf(
  key: string,
  start: (words: string[]) => Promise<AgentProcess>,
  oomScore = 0,
): Promise<CommandAgent | undefined> {
  const known = agents.get(key);
  if (known !== "fresh") return known ?? Promise.resolve(undefined);
  const starting = greeted(start, oomScore).catch((error) => {
    // The command that asks for it goes the other way, and tells what is wrong if something is.
    log.info("an environment has no command agent", { key, reason: errorMessage(error) });
    return undefined;
  });
  agents.set(key, starting);
  return starting;
}

/** Forgets the agent of an environment that was replaced, with which it ends. */
export const forgetAgent = (key: string): void => void agents.delete(key);

/** Ends an environment's agent; none is no error. */
export async function endAgent(key: string): Promise<void> {
  const known = agents.get(key);
  agents.delete(key);
  if (known !== "fresh") (await known)?.process.end();
}

/** Time that it may take to start, in ms. */
const helloMs = 10_000;

/** By paths that no variable changes: a virtual environment's Python may be any. */
const findPython =
  'for p in /usr/bin/python3 /usr/local/bin/python3; do [ -x "$p" ] && exec "$p" -ISBu -c "$1"; done; ' +
  'echo "there is no python3" >&2; exit 127';

async function greeted(
  start: (words: string[]) => Promise<AgentProcess>,
  oomScore: number,
): Promise<CommandAgent> {
  const script = Buffer.from(guardedAgentScript(oomScore));
  const process = await start(["sh", "-c", findPython, "sh", agentLoader(script)]);
  let complaints = "";
  process.stderr.on("data", (piece) => complaints = `${complaints}${piece}`.slice(-2000));
  process.stdin.write(script);
  const io = Duplex.from({ readable: process.stdout, writable: process.stdin });
  const agent = createAgent(io, crypto.randomUUID(), greeting, helloMs);
  const hello = await agent.hello;
  if (hello === undefined) {
    process.end();
    throw new Error(complaints.trim().split("\n").at(-1) || "it did not start");
  }
  let isSilent = false;
  const giveUp = () => {
    isSilent = true;
    process.end();
    if (Number.isSafeInteger(hello.pid) && hello.pid > 1) void process.kill(hello.pid);
  };
  askedWhileBusy(agent, () => process.isPaused(), giveUp);
  return {
    agent,
    process,
    get isSilent() {
      return isSilent;
    },
    inDoubt: false,
    holdWhile: holding(process),
  };
}

/** A connection that is kept open must not keep this process from its end, unless something is waited for. */
function holding(process: AgentProcess): CommandAgent["holdWhile"] {
  let pending = 0;
  process.hold(false);
  return async (work) => {
    if (pending++ === 0) process.hold(true);
    try {
      return await work;
    } finally {
      if (--pending === 0) process.hold(false);
    }
  };
}
