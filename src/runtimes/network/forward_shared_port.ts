/** Ports of environments that share the host's network: nothing to forward, but a port may be someone else's. */
import type { Socket } from "node:net";
import { PthError } from "../../core/errors.ts";
import { readLink, readTextIfExists } from "../../platform/files.ts";
import { listenOnLoopback, tryConnect } from "../../platform/sockets.ts";
import { joinStreams } from "../../platform/streams.ts";
import { childNames } from "../../platform/proc.ts";
import { keepRelay } from "./relay.ts";

/**
 * @param pids The environment's processes, as the host sees them.
 * @throws {PthError} `PORT_TAKEN`
 */
export async function forwardSharedPort(
  environmentId: string,
  envPort: number,
  hostPort: number,
  pids: () => Promise<number[]>,
): Promise<number> {
  const sockets = await listeningSockets(envPort);
  if (sockets.size > 0 && !(await anyHolds(await pids(), sockets))) {
    throw taken(envPort, "another process of the host, whose network the environment shares");
  }
  if (hostPort === envPort) return envPort;
  const relay = await listenOnLoopback(hostPort, (socket) => void connectThrough(socket, envPort));
  keepRelay(environmentId, envPort, relay);
  return relay.port;
}

/** A server inside may listen on either loopback address. */
async function connectThrough(socket: Socket, port: number): Promise<void> {
  const inside = await tryConnect("127.0.0.1", port, 2000) ?? await tryConnect("::1", port, 2000);
  if (inside === undefined) socket.resetAndDestroy();
  else joinStreams(socket, inside);
}

const taken = (port: number, holder: string) =>
  new PthError("PORT_TAKEN", `Cannot forward port ${port}: in use by ${holder}`, {
    next: [
      {
        terminal: "Let the server listen on another port, for example --var PORT=…",
        mcp:
          "Let the server listen on another port, for example pth_load_plugin({ configValues: { PORT: … } })",
      },
      `Find the holder: ss -ltnp sport = :${port}`,
    ],
  });

/** Inodes of the sockets that listen on the port. */
async function listeningSockets(port: number): Promise<Set<string>> {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  const tables = await Promise.all(["tcp", "tcp6"].map((name) => readTextIfExists(`/proc/net/${name}`)));
  const rows = tables.flatMap((table) => table?.split("\n") ?? []).map((line) => line.trim().split(/\s+/));
  return new Set(
    rows.filter((row) => row[3] === "0A" && row[1]?.endsWith(`:${hex}`)).map((row) => `socket:[${row[9]}]`),
  );
}

async function anyHolds(pids: number[], sockets: Set<string>): Promise<boolean> {
  for (const pid of pids) {
    for (const fd of await childNames(`/proc/${pid}/fd`)) {
      const target = await readLink(`/proc/${pid}/fd/${fd}`).catch(() => ""); // closed meanwhile
      if (sockets.has(target)) return true;
    }
  }
  return false;
}
