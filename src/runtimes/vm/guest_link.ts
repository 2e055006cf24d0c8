/** A connection to a guest, and what starts commands over it. */
import { setTimeout as later } from "node:timers/promises";
import { connectSsh, type SshConnection, sshProblem, type SshTarget } from "../../platform/ssh.ts";
import { startAgent } from "./guest_agent.ts";
import { channelRunner } from "./guest_channels.ts";
import type { GuestRunner } from "./guest_runner.ts";

export interface Link {
  /** Begins the ids of all that it starts. */
  id: string;
  connection: SshConnection;
  runner: GuestRunner;
}

/** Whether commands can be started over it, as far as is known. */
export const isUsable = ({ connection, runner }: Link): boolean => connection.isOpen && runner.isOpen;

export interface LinkOptions {
  target: () => SshTarget;
  /** How long SSH may take to answer, in ms. */
  connectMs: number;
  /** Letters, digits and hyphens: what all connections to this guest, and only they, have in their marks. */
  scope: string;
  /** The link before, which was lost: what it had run is ended, and its connection goes on where that is still there. */
  before?: Link;
  /** The machine went back in time: ends what all earlier connections had run. */
  afresh: boolean;
  /** Gives up, with its reason. */
  signal: AbortSignal;
  /** Throws where there is no machine any more that could answer. */
  mustLive?: () => Promise<void>;
}

/**
 * The first wait for a server's first word, in ms; it doubles up to the last. An emulator's port accepts before a server
 * does, and each try that is given up too early costs a slow guest what it needs for the next.
 */
const answerMs = { first: 4000, last: 16_000 };
/** Between two tries, in ms. */
const pauseMs = 100;

/** Connects as soon as SSH answers. @throws {PthError} `ENVIRONMENT_LOST` */
export async function openLink(options: LinkOptions): Promise<Link> {
  const { before, afresh, signal } = options;
  if (before?.connection.isOpen && !afresh) {
    try {
      return await linkOver(before.connection, options); // its agent alone was lost
    } catch {
      signal.throwIfAborted(); // it has been ended: a new one tells what is wrong, if that is still so
    }
  }
  return await linkOver(await connectPatiently(options), options);
}

/** Failing, it ends the connection. */
async function linkOver(
  connection: SshConnection,
  { target, scope, before, afresh, signal }: LinkOptions,
): Promise<Link> {
  const cut = () => connection.cut();
  signal.addEventListener("abort", cut, { once: true });
  try {
    const id = `${scope}/${crypto.randomUUID()}`;
    const asRoot = target().username === "root" ? "" : "sudo -n";
    const agent = await startAgent(connection, asRoot, id);
    const runner = "start" in agent ? agent : channelRunner(connection, asRoot, agent.reason, id);
    if (afresh) await runner.endOthers(`${scope}/`);
    else if (before) await runner.endOthers(before.id);
    return { id, connection, runner };
  } catch (error) {
    await connection.end();
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", cut);
  }
}

async function connectPatiently(
  { target, connectMs, signal, mustLive }: LinkOptions,
): Promise<SshConnection> {
  const end = performance.now() + connectMs;
  for (let answer = answerMs.first;; answer = Math.min(2 * answer, answerMs.last)) {
    const left = Math.max(end - performance.now(), 1);
    try {
      return await connectSsh(target(), { signal, timeoutMs: left, answerMs: Math.min(answer, left) });
    } catch (error) {
      signal.throwIfAborted();
      if (sshProblem(error) === "not-answering") await mustLive?.();
      if (sshProblem(error) !== "not-answering" || end - performance.now() < pauseMs) throw error;
    }
    await later(pauseMs);
  }
}
