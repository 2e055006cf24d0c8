/** A connection to a guest, and what starts commands over it. */
import { setTimeout as later } from "node:timers/promises";
import { connectSsh, type SshConnection, sshProblem, type SshTarget } from "../../platform/ssh.ts";
import { startAgent } from "./guest_agent.ts";
import { channelRunner } from "./guest_channels.ts";
import type { GuestRunner } from "./guest_runner.ts";

export interface Link {
  connection: SshConnection;
  runner: GuestRunner;
}

/**
 * The first wait for a server's first word, in ms; it doubles up to the last. An emulator's port accepts before a server
 * does, and each try that is given up too early costs a slow guest what it needs for the next.
 */
const answerMs = { first: 4000, last: 16_000 };
/** Between two tries, in ms. */
const pauseMs = 100;

/**
 * Connects as soon as SSH answers, within `connectMs`.
 * @param afresh The machine went back in time: ends what earlier connections had run.
 * @param scope Letters, digits and hyphens: what all connections to this guest, and only they, have in their marks.
 * @param signal Gives up, with its reason.
 * @param mustLive Throws where there is no machine any more that could answer.
 * @throws {PthError} `ENVIRONMENT_LOST`
 */
export async function openLink(
  target: () => SshTarget,
  connectMs: number,
  afresh: boolean,
  scope: string,
  signal: AbortSignal,
  mustLive?: () => Promise<void>,
): Promise<Link> {
  const connection = await connectPatiently(target, connectMs, signal, mustLive);
  const cut = () => connection.cut();
  signal.addEventListener("abort", cut, { once: true });
  try {
    const id = `${scope}/${crypto.randomUUID()}`;
    const asRoot = target().username === "root" ? "" : "sudo -n";
    const agent = await startAgent(connection, asRoot, id);
    const runner = "start" in agent ? agent : channelRunner(connection, asRoot, agent.reason, id);
    if (afresh) await runner.endOthers(scope);
    return { connection, runner };
  } catch (error) {
    await connection.end();
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", cut);
  }
}

async function connectPatiently(
  target: () => SshTarget,
  connectMs: number,
  signal: AbortSignal,
  mustLive?: () => Promise<void>,
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
