/**
 * The host's end of an agent: many commands over one stream, none of which holds up the others. What it says is bounded: who
 * breaks the protocol, or goes beyond a limit, is not listened to any more.
 */
import { Buffer } from "node:buffer";
import type { Duplex } from "node:stream";
import { createFrameReader, type Frame, frame } from "../frames.ts";
import { pieceSize } from "../windowed_input.ts";
import { joinNul } from "./agent_script.ts";
import { type AgentCommand, createAgentCommand } from "./create_agent_command.ts";
import type { CommandRequest } from "./inside_command.ts";

export interface Hello {
  /** Version of its Python. */
  python: string;
  /** Pid as its environment sees it. */
  pid: number;
}

export interface Agent {
  /** Undefined where it said none in time, or was lost before. */
  readonly hello: Promise<Hello | undefined>;
  /** Whether it can be asked, as far as is known. */
  readonly isOpen: boolean;
  /** Asks for a command; undefined where nothing was asked of the agent, as it is lost. */
  order(request: CommandRequest): AgentCommand | undefined;
  /** The answer to a question that is answered by one frame; undefined where the connection was lost before. */
  ask(kind: string, question: readonly string[]): Promise<boolean | undefined>;
  /** Whether something waits for what the agent says. */
  isBusy(): boolean;
  /** Whether the agent knows itself by its id; undefined where the connection was lost before it said so. */
  isStill(): Promise<boolean | undefined>;
}

/** Limit in bytes of what precedes the greeting. */
const mostBefore = 1024 * 1024;
/** Limit in bytes of frames about commands that are over, for each command: more cannot have been under way. */
const mostStray = 4 * 1024 * 1024;
/** Bytes of a frame besides its payload, at least. */
const overhead = 9;

/** @param word What the agent says first. @param helloMs How long that may take. */
export function createAgent(io: Duplex, agentId: string, word: string, helloMs: number): Agent {
  const commands = new Map<number, AgentCommand>();
  let lastId = 0;
  let greeted = false;
  let lost = false;
  let strayLeft = mostStray;
  let greet: (hello: Hello | undefined) => void = () => {};
  const hello = new Promise<Hello | undefined>((resolve) => greet = resolve);
  const patience = setTimeout(() => greet(undefined), helloMs);
  const send = (kind: string, id: number, payload?: Uint8Array) => {
    if (!io.destroyed && io.writable) io.write(frame(kind, id, payload));
  };
  /** Questions that are answered by one frame of their own id. */
  const questions = new Map<number, (answer: boolean | undefined) => void>();
  const ask = async (kind: string, question: readonly string[]): Promise<boolean | undefined> => {
    if (lost) return undefined;
    const id = ++lastId;
    return await new Promise((resolve) => {
      questions.set(id, resolve);
      send(kind, id, joinNul(question));
    });
  };
  const onFrame = ({ kind, id, payload }: Frame) => {
    if (lost) return;
    if (kind === "H") {
      greeted = true;
      const [python = "", pid] = payload.toString().split("\0");
      return greet({ python, pid: Number(pid) });
    }
    if (kind === "R") {
      questions.get(id)?.(payload.toString() === "1");
      if (questions.delete(id)) return;
    }
    if (kind === "L") return breakOff();
    const command = commands.get(id);
    if (command !== undefined) return command.take(kind, payload);
    strayLeft -= overhead + payload.length;
    if (strayLeft < 0) throw new RangeError("it talks without being asked");
  };
  const over = () => {
    if (lost) return;
    lost = true;
    clearTimeout(patience);
    greet(undefined);
    for (const command of commands.values()) command.lose();
    commands.clear();
    for (const answer of questions.values()) answer(undefined);
    questions.clear();
  };
  const breakOff = () => {
    over();
    io.destroy();
  };
  for (const event of ["end", "close", "error"]) io.once(event, over);
  io.on("error", () => {}); // of one that is lost by then
  const read = afterGreeting(word, createFrameReader(onFrame, pieceSize));
  io.on("data", (chunk: Buffer) => {
    try {
      if (!lost) read(chunk);
    } catch {
      breakOff(); // it did not keep to the protocol: whoever waits for it is told that it is lost
    }
  });

  return {
    hello: hello.finally(() => clearTimeout(patience)),
    get isOpen() {
      return !lost;
    },
    order({ command, cwd, env, stdin }) {
      if (lost) return undefined;
      const id = ++lastId;
      const markOf = `${agentId}.${id}.`; // no beginning of another
      const made = createAgentCommand(
        markOf,
        (kind, payload) => send(kind, id, payload),
        () => commands.delete(id),
      );
      commands.set(id, made);
      strayLeft += mostStray;
      const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
      const words = [markOf, cwd, stdin ? "1" : "", String(command.length), ...command, ...variables];
      send("S", id, joinNul(words));
      return made;
    },
    ask,
    isBusy: () => !greeted || commands.size + questions.size > 0,
    isStill: () => ask("E", [agentId]),
  };
}

/** Number of questions that may stay unanswered. */
const patience = 3;

/**
 * Gives up an agent that does not answer while something waits for it: a plugin that is root may stop it, and whoever waits
 * must not wait for ever.
 * @param isPaused Whether it cannot answer for a reason that is known, and goes by.
 * @param askMs Time between two questions.
 */
export function askedWhileBusy(
  agent: Agent,
  isPaused: () => boolean,
  giveUp: () => void,
  askMs = 5000,
): void {
  let unanswered = 0;
  const timer = setInterval(async () => {
    if (!agent.isOpen) return clearInterval(timer);
    if (isPaused() || !agent.isBusy()) return void (unanswered = 0);
    if (++unanswered > patience) {
      clearInterval(timer);
      return giveUp();
    }
    if (await agent.isStill()) unanswered = 0;
  }, askMs);
  timer.unref();
}

/** Skips what a login prints before the agent's greeting, and output of an agent for an earlier connection. */
function afterGreeting(greeting: string, read: (chunk: Buffer) => void): (chunk: Buffer) => void {
  let before: Buffer | undefined = Buffer.alloc(0);
  const word = Buffer.from(greeting);
  return (chunk) => {
    if (before === undefined) return read(chunk);
    before = Buffer.concat([before, chunk]);
    const at = before.indexOf(word);
    if (at < 0) {
      if (before.length > mostBefore) throw new RangeError("it does not greet");
      return;
    }
    const rest = before.subarray(at + word.length);
    before = undefined;
    if (rest.length > 0) read(rest);
  };
}
