/** Ports of a guest on the host's loopback; each connection asks for a channel anew, so that a rollback cuts none for good. */
import type { Duplex } from "node:stream";
import { type Listener, listenOnLoopback } from "../../platform/sockets.ts";
import type { SshConnection } from "../../platform/ssh.ts";

/** A server may listen on one of them only; names are not asked, as a test may break /etc/hosts. */
const loopbacks = ["127.0.0.1", "::1"];

/** @throws {PthError} `PORT_TAKEN` */
export const forwardToGuest = (
  connection: () => Promise<SshConnection>,
  envPort: number,
  hostPort: number,
): Promise<Listener> =>
  listenOnLoopback(hostPort, (client) => {
    join(client, connection, envPort).catch(() => client.destroy()); // the other side sees a closed connection
  });

async function join(
  client: Duplex,
  connection: () => Promise<SshConnection>,
  envPort: number,
): Promise<void> {
  const channel = await reach(await connection(), envPort).catch(async () =>
    // It was lost without a word until this was asked of it: nothing was sent yet, so a new one serves as well.
    reach(await connection(), envPort)
  );
  if (channel === undefined) {
    client.destroy();
    return;
  }
  client.pipe(channel).pipe(client);
  client.once("close", () => channel.destroy());
  channel.once("close", () => client.destroy());
}

/** Undefined where nobody listens. @throws {PthError} `ENVIRONMENT_LOST` */
async function reach(ssh: SshConnection, envPort: number): Promise<Duplex | undefined> {
  for (const host of loopbacks) {
    const channel = await ssh.reach(host, envPort);
    if (channel !== undefined) return channel;
  }
  return undefined;
}
