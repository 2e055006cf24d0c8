/** The host's end of the agent in a guest: many commands over one stream, none of which holds up the others. */
import { Buffer } from "node:buffer";
import type { Duplex, Readable } from "node:stream";
import { setTimeout as later } from "node:timers/promises";
import { PthError } from "../../core/errors.ts";
import type { SshConnection } from "../../platform/ssh.ts";
import { untilClosed } from "../../platform/streams.ts";
import { type AgentCommand, createAgentCommand } from "./create_agent_command.ts";
import { createFrameReader, type Frame, frame } from "../shared/frames.ts";
import { agentScript, greeting, joinNul } from "./agent_script.ts";
import { clockRefused, type GuestRequest, type GuestRunner } from "./guest_runner.ts";
import { quoted } from "../../platform/process.ts";

/** Time that the agent may take to say hello, in ms: Python starts slowly on an emulated machine under load. */
const helloMs = 40_000;

/** Time that error output of an agent that could not start may take after its end, in ms. */
const toldMs = 1000;

/**
 * Python that reads its own text from stdin: nothing is written to the guest's disk.
 * @param asRoot Words before a command that make its user root, or none.
 * @param variables Of the process, as words of `env`.
 */
export function agentCommandLine(script: Buffer, asRoot: string, ...variables: string[]): string {
  const loader =
    `import os\nb=b""\nwhile len(b)<${script.length}:\n d=os.read(0,${script.length}-len(b))\n if not d: os._exit(0)\n b+=d\nexec(b)`;
  return "command -v python3 >/dev/null 2>&1 || { echo 'there is no python3' >&2; exit 127; }; " +
    `exec ${asRoot} env ${variables.join(" ")} python3 -ISu -c ${quoted(loader)}`;
}

/** Starts the agent, or says why there can be none. @throws {PthError} `ENVIRONMENT_LOST` */
export async function startAgent(
  connection: SshConnection,
  asRoot: string,
  agentId: string,
): Promise<GuestRunner | { reason: string }> {
  const script = Buffer.from(agentScript());
  const channel = await connection.run(
    agentCommandLine(script, asRoot, `PTH_AGENT=${agentId}`),
  );
  let complaints = "";
  channel.stderr.on("data", (piece) => complaints = `${complaints}${piece}`.slice(-2000));
  const told = untilClosed(channel.stderr);
  channel.io.write(script);
  const agent = createAgent(channel.io, agentId, greeting, helloMs);
  const hello = await agent.hello;
  if (hello !== undefined) return agent.runner(`agent (Python ${hello.python})`);
  await Promise.race([told, later(toldMs)]);
  channel.io.destroy();
  if (!connection.isOpen) {
    throw new PthError("ENVIRONMENT_LOST", "Cannot start the agent in the guest: the connection was lost");
  }
  return { reason: complaints.trim().split("\n").at(-1) || "the agent did not start" };
}

interface Hello {
  python: string;
}

/** @param word What the agent says first. @param helloMs How long that may take. */
export function createAgent(io: Duplex, agentId: string, word: string, helloMs: number) {
  const commands = new Map<number, AgentCommand>();
  let lastId = 0;
  let greeted = false;
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
    if (kind === "H") {
      greeted = true;
      return greet({ python: payload.toString() });
    }
    if (kind === "R") {
      questions.get(id)?.(payload.toString() === "1");
      return void questions.delete(id);
    }
    if (kind === "L") return void io.destroy();
    commands.get(id)?.take(kind, payload);
  };
  let lost = false;
  const over = () => {
    lost = true;
    clearTimeout(patience);
    greet(undefined);
    for (const command of commands.values()) command.lose();
    commands.clear();
    for (const answer of questions.values()) answer(undefined);
    questions.clear();
  };
  for (const event of ["end", "close", "error"]) io.once(event, over);
  afterGreeting(io, word, createFrameReader(onFrame));

  const start = async ({ command, cwd, env, stdin }: GuestRequest): Promise<AgentCommand | undefined> => {
    if (lost) return undefined;
    const id = ++lastId;
    const markOf = `${agentId}.${id}`;
    const made = createAgentCommand(
      markOf,
      (kind, payload) => send(kind, id, payload),
      () => commands.delete(id),
    );
    commands.set(id, made);
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const words = [markOf, cwd, stdin ? "1" : "", String(command.length), ...command, ...variables];
    send("S", id, joinNul(words));
    if (!await made.started) throw connectionLost(`Cannot run ${command[0]} in the guest`);
    return made;
  };
  return {
    hello: hello.finally(() => clearTimeout(patience)),
    runner: (how: string): GuestRunner => ({
      how,
      get isOpen() {
        return !lost;
      },
      start,
      async endOthers(ids) {
        if (await ask("Z", [ids, agentId]) === undefined) {
          throw connectionLost("Cannot end what was left in the guest");
        }
      },
      async setClock(seconds) {
        const done = await ask("T", [String(seconds)]);
        if (done === false) throw clockRefused("it refuses");
        return done === true;
      },
    }),
    /** Whether something waits for what the agent says. */
    isBusy: () => !greeted || commands.size + questions.size > 0,
    /** Whether the agent knows itself by its id; undefined where the connection was lost before it said so. */
    isStill: () => ask("E", [agentId]),
  };
}

const connectionLost = (action: string) =>
  new PthError("ENVIRONMENT_LOST", `${action}: the connection to it was lost`, {
    transient: false, // it may have begun
  });

/** Skips what a login prints before the agent's greeting, and output of an agent for an earlier connection. */
function afterGreeting(io: Readable, greeting: string, read: (chunk: Buffer) => void): void {
  let before: Buffer | undefined = Buffer.alloc(0);
  const word = Buffer.from(greeting);
  io.on("data", (chunk: Buffer) => {
    if (before === undefined) return read(chunk);
    before = Buffer.concat([before, chunk]);
    const at = before.indexOf(word);
    if (at < 0) return;
    const rest = before.subarray(at + word.length);
    before = undefined;
    if (rest.length > 0) read(rest);
  });
}
