/** Open connections to instances of the server, and the ids and ports that were given to them. */
import type { RelayEnds } from "../../api/requests.ts";
import type { Connection } from "../../client/connection.ts";
import { PthError } from "../../core/errors.ts";
import { randomPort } from "../../platform/sockets.ts";

export class ConnectionTable {
  readonly open = new Map<string, Connection>();
  /** The latest call of each connection that was answered without an error. */
  readonly lastCalls = new Map<string, { tool: string; at: string }>();
  /** Clients that speak to a server of their own, by the id that their operation names. */
  readonly relayEnds = new Map<string, RelayEnds>();
  /** First port tried for the servers of this session; another session tries elsewhere. */
  readonly firstPort: number = randomPort();
  /** Ports inside the environment that were given to instances of the plugin's server. */
  readonly serverPorts = new Set<number>();
  #checks = 0;
  #relays = 0;

  /** Number of the next instance that serves one check alone, from 0. */
  nextCheck(): number {
    return this.#checks++;
  }

  /** Id of the next server that a client is relayed to. */
  nextRelay(): string {
    return `relay-${++this.#relays}`;
  }

  /** @throws {PthError} `SERVER_LOST` */
  require(connectionId: string): Connection {
    const connection = this.open.get(connectionId);
    if (connection) return connection;
    throw new PthError("SERVER_LOST", `Cannot reach server: ${connectionId} is closed`);
  }
}
