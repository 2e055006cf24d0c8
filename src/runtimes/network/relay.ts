/**
 * Ports of a container on the host's loopback. An engine publishes ports at creation only, so a small relay in this
 * process carries the bytes: to the container's address, or, where that does not answer (a server that listens on its
 * own loopback, an engine elsewhere), through a process inside.
 */
import type { Socket } from "node:net";
import { type Listener, listenOnLoopback, tryConnect } from "../../platform/sockets.ts";
import { joinStreams } from "../../platform/streams.ts";
import { PthError } from "../../core/errors.ts";
import type { EnvironmentProcess } from "../runtime.ts";
import type { ExecResult } from "../../../machines/model/environment_operations.ts";

/** Destination of connections; asked for each one, as a rollback changes it. */
export interface RelayTarget {
  address(): Promise<string | undefined>;
  /** Runs a command with live pipes inside. */
  spawn(command: readonly string[]): Promise<EnvironmentProcess>;
}

/** Time that a container's own address may take to accept, in ms. */
const acceptWithin = 1000;

/** Runs inside: joins its stdin and stdout to a port of its own loopback. */
const bridgeScript = `
const socket = require("node:net").connect({ host: "localhost", port: Number(process.argv[1]), allowHalfOpen: true });
socket.on("error", () => process.exit(1));
process.stdin.pipe(socket).pipe(process.stdout);
socket.on("end", () => process.stdin.destroy());
`;

/**
 * Sees that a process inside can carry what is said, where there is no other way in.
 * @throws {PthError} `UNSUPPORTED`
 */
export async function requireCarrier(
  exec: (command: readonly string[]) => Promise<ExecResult>,
  envPort: number,
): Promise<void> {
  if ((await exec(["node", "--version"])).code === 0) return;
  throw new PthError(
    "UNSUPPORTED",
    `Cannot forward port ${envPort}: the environment has no network, and no Node.js to relay connections`,
    {
      next: [
        "Use an image with Node",
        {
          terminal: "Or give the environment a network: --network default",
          mcp: 'Or give the environment a network: pth_reprovision_environment({ network: "default" })',
        },
      ],
    },
  );
}

/** @throws {PthError} `PORT_TAKEN` */
export function openRelay(target: RelayTarget, envPort: number, hostPort: number): Promise<Listener> {
  return listenOnLoopback(hostPort, (client) => {
    lead(client, target, envPort).catch(() => client.resetAndDestroy()); // to the other side a refusal, and no empty answer
  });
}

async function lead(client: Socket, target: RelayTarget, envPort: number): Promise<void> {
  const address = await target.address();
  const direct = address ? await tryConnect(address, envPort, acceptWithin) : undefined;
  if (direct) return joinStreams(client, direct);
  const inside = await target.spawn(["node", "-e", bridgeScript, String(envPort)]);
  inside.stderr.resume();
  client.pipe(inside.stdin);
  inside.stdout.pipe(client);
  const end = () => void inside.kill("SIGKILL").catch(() => {}); // a container that is gone needs no kill
  if (client.destroyed) end(); // it left meanwhile
  else client.once("close", end);
}

const relays = new Map<string, { envPort: number; listener: Listener }[]>();

export function keepRelay(environmentId: string, envPort: number, listener: Listener): void {
  relays.set(environmentId, [...relays.get(environmentId) ?? [], { envPort, listener }]);
}

/** A relay to the port that is open already. */
export const relayTo = (environmentId: string, envPort: number): Listener | undefined =>
  relays.get(environmentId)?.find((relay) => relay.envPort === envPort)?.listener;

export async function closeRelays(environmentId: string): Promise<void> {
  const mine = relays.get(environmentId) ?? [];
  relays.delete(environmentId);
  await Promise.all(mine.map(({ listener }) => listener.close()));
}
