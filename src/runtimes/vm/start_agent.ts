/** Starts the agent in a guest over SSH. */
import { Buffer } from "node:buffer";
import { setTimeout as later } from "node:timers/promises";
import { PthError } from "../../core/errors.ts";
import type { SshConnection } from "../../platform/ssh.ts";
import { untilClosed } from "../../platform/streams.ts";
import { agentLoader, agentScript, greeting } from "../shared/agent/agent_script.ts";
import { type Agent, createAgent } from "../shared/agent/create_agent.ts";
import { clockRefused, type GuestRunner } from "./guest_runner.ts";
import { quoted } from "../../platform/process.ts";

/** Time that the agent may take to say hello, in ms: Python starts slowly on an emulated machine under load. */
const helloMs = 40_000;

/** Time that error output of an agent that could not start may take after its end, in ms. */
const toldMs = 1000;

/**
 * Makes the command line that starts an agent whose text follows on its stdin.
 * @param asRoot Words before a command that make its user root, or none.
 * @param variables Of the process, as words of `env`.
 */
export const agentCommandLine = (script: Buffer, asRoot: string, ...variables: string[]): string =>
  "command -v python3 >/dev/null 2>&1 || { echo 'there is no python3' >&2; exit 127; }; " +
  `exec ${asRoot} env ${variables.join(" ")} python3 -ISu -c ${quoted(agentLoader(script))}`;

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
  if (hello !== undefined) return guestRunner(agent, agentId, `agent (Python ${hello.python})`);
  await Promise.race([told, later(toldMs)]);
  channel.io.destroy();
  if (!connection.isOpen) {
    throw new PthError("ENVIRONMENT_LOST", "Cannot start the agent in the guest: the connection was lost");
  }
  return { reason: complaints.trim().split("\n").at(-1) || "the agent did not start" };
}

/** @param how For people. */
export const guestRunner = (agent: Agent, agentId: string, how: string): GuestRunner => ({
  how,
  get isOpen() {
    return agent.isOpen;
  },
  async start(request) {
    const made = agent.order(request);
    if (made === undefined) return undefined;
    if (await made.started === "lost") throw connectionLost(`Cannot run ${request.command[0]} in the guest`);
    return made;
  },
  async endOthers(ids) {
    if (await agent.ask("Z", [ids, agentId]) === undefined) {
      throw connectionLost("Cannot end what was left in the guest");
    }
  },
  async setClock(seconds) {
    const done = await agent.ask("T", [String(seconds)]);
    if (done === false) throw clockRefused("it refuses");
    return done === true;
  },
});

const connectionLost = (action: string) =>
  new PthError("ENVIRONMENT_LOST", `${action}: the connection to it was lost`, {
    transient: false, // it may have begun
  });
