/** The host's end of an agent that waits in its guest (`waiting_script.ts`). */
import { Buffer } from "node:buffer";
import { errorMessage } from "../../core/errors.ts";
import { log } from "../../platform/log.ts";
import { connectToPath } from "../../platform/sockets.ts";
import { collectOutputs } from "../../platform/process.ts";
import type { SshConnection } from "../../platform/ssh.ts";
import { type Agent, createAgent } from "../shared/agent/create_agent.ts";
import { agentCommandLine, guestRunner } from "./start_agent.ts";
import { frame } from "../shared/frames.ts";
import { greetingTo, waitingScript, wordOf } from "./waiting_script.ts";
import type { GuestRunner } from "./guest_runner.ts";

export interface AgentPort {
  /** Socket of the host's that leads to it. */
  path: string;
  /** Answer of `isHeld` at the time of making. */
  held: boolean;
  /** Whether something in the guest has it open, as far as is known. @throws where the machine is gone */
  isHeld(): Promise<boolean>;
}

export interface WaitingAgent {
  id: string;
  runner: GuestRunner;
  readonly isOpen: boolean;
  end(): Promise<void>;
  cut(): void;
}

/** Time that it may take to answer, in ms: another process may use it; less where none seems to be there. */
const answerMs = { held: 8000, other: 6000 };
/** Between two looks at whether it is there, while something waits for it, in ms; and between two questions to it. */
const [lookMs, askMs] = [1000, 15_000];
/** Number of either in a row that may find nothing. */
const patience = 3;

/** Starts an agent that outlives the connection; undefined once it waits, else why there can be none. */
export async function startWaitingAgent(
  connection: SshConnection,
  asRoot: string,
  privateKey: string,
): Promise<string | undefined> {
  const script = Buffer.from(waitingScript(wordOf(privateKey)));
  const channel = await connection.run(agentCommandLine(script, asRoot));
  const output = collectOutputs({ stdout: channel.io, stderr: channel.stderr }, {});
  channel.io.write(script);
  const status = await channel.ended;
  if (status?.code === 0) return undefined;
  return output().stderr.trim().split("\n").at(-1) || "it did not start";
}

/** Undefined where none answers: it is another process's, or there is none any more. */
export async function reachWaitingAgent(
  port: AgentPort,
  privateKey: string,
  agentId: string,
  signal?: AbortSignal,
): Promise<WaitingAgent | undefined> {
  const socket = await connectToPath(port.path).catch((error) => {
    log.info("no agent's port there", { path: port.path, error: errorMessage(error) });
    return undefined;
  });
  if (socket === undefined) return undefined;
  const cut = () => void socket.destroy();
  signal?.addEventListener("abort", cut, { once: true });
  if (signal?.aborted) cut();
  const agent = createAgent(socket, agentId, greetingTo(agentId), port.held ? answerMs.held : answerMs.other);
  socket.write(Buffer.concat([wordOf(privateKey), frame("O", 0, Buffer.from(agentId))]));
  watchOver(agent, port, cut, new Promise((resolve) => socket.once("close", resolve)));
  const hello = await agent.hello;
  signal?.removeEventListener("abort", cut);
  signal?.throwIfAborted();
  if (hello === undefined) {
    cut();
    return undefined;
  }
  return {
    id: agentId,
    runner: guestRunner(agent, agentId, `agent (Python ${hello.python}) that waited`),
    get isOpen() {
      return !socket.destroyed;
    },
    end: () =>
      new Promise((resolve) => {
        if (socket.destroyed) return resolve();
        socket.once("close", () => resolve());
        socket.destroy();
      }),
    cut,
  };
}

/** A port does not tell that its other end was let go of, nor that its machine went back in time: that is looked for. */
function watchOver(
  agent: Agent,
  port: AgentPort,
  cut: () => void,
  closed: Promise<unknown>,
): void {
  const asking = () => {
    let unanswered = 0;
    return {
      async ask() {
        if (++unanswered > patience) return cut();
        const still = await agent.isStill();
        if (still === false) cut();
        if (still === true) unanswered = 0;
      },
      rest: () => void (unanswered = 0),
    };
  };
  const [now, always] = [asking(), asking()];
  let wasHeld = false;
  const look = async () => {
    if (!agent.isBusy()) return now.rest();
    // A machine that is gone ends the connection by itself.
    const held = await port.isHeld().catch(() => true);
    wasHeld ||= held;
    // That libvirt saw it being let go of counts; after a rollback it may not know that it is held.
    if (held || !wasHeld) now.rest();
    else await now.ask();
  };
  const timers = [setInterval(() => void look(), lookMs), setInterval(() => void always.ask(), askMs)];
  for (const timer of timers) timer.unref();
  void closed.then(() => timers.forEach(clearInterval));
}
