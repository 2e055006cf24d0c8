/** Connections to a guest, and what starts commands over them. */
import { setTimeout as later } from "node:timers/promises";
import { connectSsh, type SshConnection, sshProblem, type SshTarget } from "../../platform/ssh.ts";
import { startAgent } from "./start_agent.ts";
import { type AgentPort, reachWaitingAgent } from "./waiting_agent.ts";
import { channelRunner } from "./channel_runner.ts";
import type { GuestRunner } from "./guest_runner.ts";

export interface Link {
  /** Begins the ids of all that it starts. */
  id: string;
  runner: GuestRunner;
  /** SSH connection that it uses, if it does. */
  ssh?: SshConnection;
  /** Whether commands can be started over it, as far as is known. */
  readonly isOpen: boolean;
  end(): Promise<void>;
  /** Ends it without a word to the other side, which is not there any more. */
  cut(): void;
}

export interface LinkOptions {
  target: () => SshTarget;
  /** Time that SSH may take to answer, in ms. */
  connectMs: number;
  /** Letters, digits and hyphens: what all connections to this guest, and only they, have in their marks. */
  scope: string;
  /** The link before, which was lost: what it had run is ended, and its connection goes on where that is still there. */
  before?: Link;
  /** The machine went back in time: ends what all earlier connections had run. */
  afresh: boolean;
  /** Gives up, with its reason. */
  signal: AbortSignal;
  /** Finds the port of a waiting agent, if one waits. */
  port?: () => Promise<AgentPort | undefined>;
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

/** To the agent that waits, else by SSH as soon as that answers. @throws {PthError} `ENVIRONMENT_LOST` */
export async function openLink(options: LinkOptions): Promise<Link> {
  const { before, afresh, signal } = options;
  if (before?.ssh?.isOpen && !afresh) {
    try {
      return await linkOver(before.ssh, options); // its agent alone was lost
    } catch {
      signal.throwIfAborted(); // it has been ended: a new one tells what is wrong, if that is still so
    }
  }
  // Where none waited, none does until the machine goes back in time.
  const waiting = before?.ssh === undefined || afresh ? await linkToWaiting(options) : undefined;
  return waiting ?? await linkOver(await connectWithRetries(options), options);
}

async function linkToWaiting(options: LinkOptions): Promise<Link | undefined> {
  const { port, target, scope, signal } = options;
  const there = await port?.();
  if (there === undefined) return undefined;
  const waiting = await reachWaitingAgent(
    there,
    target().privateKey,
    `${scope}/${crypto.randomUUID()}`,
    signal,
  );
  return waiting && await begun(waiting, options);
}

/** Failing, it ends the connection. */
async function linkOver(ssh: SshConnection, options: LinkOptions): Promise<Link> {
  const { target, scope, signal } = options;
  return await unlessAborted(ssh, signal, async () => {
    const id = `${scope}/${crypto.randomUUID()}`;
    const asRoot = target().username === "root" ? "" : "sudo -n";
    const agent = await startAgent(ssh, asRoot, id);
    const runner = "start" in agent ? agent : channelRunner(ssh, asRoot, agent.reason, id);
    return await begun({
      id,
      ssh,
      runner,
      get isOpen() {
        return ssh.isOpen && runner.isOpen;
      },
      end: () => ssh.end(),
      cut: () => ssh.cut(),
    }, options);
  });
}

/** Ends what others left. */
const begun = (link: Link, { scope, before, afresh, signal }: LinkOptions): Promise<Link> =>
  unlessAborted(link, signal, async () => {
    if (afresh) await link.runner.endOthers(`${scope}/`);
    else if (before) await link.runner.endOthers(before.id);
    return link;
  });

/** Failing, it ends the connection. */
async function unlessAborted<T>(
  connection: Pick<Link, "end" | "cut">,
  signal: AbortSignal,
  act: () => Promise<T>,
): Promise<T> {
  const cut = () => connection.cut();
  signal.addEventListener("abort", cut, { once: true });
  if (signal.aborted) cut();
  try {
    return await act();
  } catch (error) {
    await connection.end();
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", cut);
  }
}

/** Connects as soon as SSH answers. @throws {PthError} `ENVIRONMENT_LOST` */
export async function connectWithRetries(
  { target, connectMs, signal, mustLive }: Pick<LinkOptions, "target" | "connectMs" | "signal" | "mustLive">,
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
