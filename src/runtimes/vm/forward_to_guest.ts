/** Ports of a guest on the host's loopback; each connection asks for a channel anew, so that a rollback cuts none for good. */
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type Listener, listenOnLoopback } from "../../platform/sockets.ts";
import type { SshConnection } from "../../platform/ssh.ts";
import { joinStreams } from "../../platform/streams.ts";

/** A server may listen on one of them only; names are not asked, as a test may break /etc/hosts. */
const loopbacks = ["127.0.0.1", "::1"];

/** @throws {PthError} `PORT_TAKEN` */
export const forwardToGuest = (
  connection: () => Promise<SshConnection>,
  envPort: number,
  hostPort: number,
): Promise<Listener> =>
  listenOnLoopback(hostPort, (client) => {
    lead(client, connection, envPort).catch(() => client.resetAndDestroy()); // to the other side a refusal, and no empty answer
  });

async function lead(
  client: Socket,
  connection: () => Promise<SshConnection>,
  envPort: number,
): Promise<void> {
  const first = await connection();
  try {
    joinUnlessLost(client, await reach(first, envPort), first);
  } catch {
    // It was lost without a word until this was asked of it: nothing was sent yet, so a new one serves as well.
    const next = await connection();
    joinUnlessLost(client, await reach(next, envPort), next);
  }
}

function joinUnlessLost(client: Socket, channel: Duplex | undefined, over: SshConnection): void {
  if (channel === undefined) return void client.resetAndDestroy();
  // A lost connection ends its channels, too: an answer that it cut short must not seem whole.
  channel.once("end", () => {
    if (!over.isOpen) client.resetAndDestroy();
  });
  joinStreams(client, channel);
}

/** Undefined where nobody listens. @throws {PthError} `ENVIRONMENT_LOST` */
async function reach(ssh: SshConnection, envPort: number): Promise<Duplex | undefined> {
  for (const host of loopbacks) {
    const channel = await ssh.reach(host, envPort);
    if (channel !== undefined) return channel;
  }
  return undefined;
}
