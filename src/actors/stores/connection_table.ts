/** Open connections to instances of the server, and the ids and ports that were given to them. */
import type { CloseReport, PluginPlan } from "../../../machines/model/plugin.ts";
import type { RelayEnds } from "../../api/requests.ts";
import type { Connection } from "../../client/connection.ts";
import { defaultGraceMs } from "../../client/server_process.ts";
import { PthError } from "../../core/errors.ts";
import { randomPort } from "../../platform/sockets.ts";

const deafGraceMs = 100;

export class ConnectionTable {
  readonly open = new Map<string, Connection>();
  /** Connections that are being opened, by their ids. */
  readonly #opening = new Map<string, Promise<unknown>>();
  /** Pids of the servers of connections, from the start of their processes on, as the environment numbers them. */
  readonly pids = new Map<string, number>();
  /** The latest call of each connection that was answered without an error. */
  readonly lastCalls = new Map<string, { tool: string; at: string }>();
  /** Clients that speak to a server of their own, by the id that their operation names. */
  readonly relayEnds = new Map<string, RelayEnds>();
  /** First port tried for the servers of this session; another session tries elsewhere. */
  readonly firstPort: number = randomPort();
  /** Ports inside the environment that were given to instances of the plugin's server. */
  readonly serverPorts = new Set<number>();
  /** Instances that checks left as they found them, with the plan that they were started from. */
  #retained: { connection: Connection; plan: PluginPlan; called: boolean }[] = [];
  /** Plans that connections were opened by, and those of servers that the end of their input did not end in time. */
  readonly #plans = new WeakMap<Connection, PluginPlan>();
  readonly #deaf = new WeakSet<PluginPlan>();
  #checks = 0;
  #relays = 0;

  /** Number of the next instance that serves one check alone, from 0. */
  nextCheck(): number {
    return this.#checks++;
  }

  /**
   * Retains an instance for the next check that only asks, until the server ends by itself.
   * @param called whether its tools were called: it is then no server as it started
   */
  retain(connection: Connection, plan: PluginPlan, called: boolean): void {
    const entry = { connection, plan, called };
    this.#retained.push(entry);
    connection.lost.then(() => {
      if (!this.#retained.includes(entry)) return;
      this.#retained = this.#retained.filter((other) => other !== entry);
      this.forget(connection.id);
    });
  }

  /**
   * A retained instance, which from now on is the caller's; undefined where there is none.
   * @param of that of this plan; `mayBeCalled`: also one whose tools were called, of which there then is no other use
   */
  takeRetained(
    of?: { plan: PluginPlan; mayBeCalled: boolean },
  ): { connection: Connection; called: boolean } | undefined {
    const fits = ({ plan, called }: { plan: PluginPlan; called: boolean }) =>
      of === undefined || (plan === of.plan && (of.mayBeCalled || !called));
    const spoiled = this.#retained.findIndex((entry) => entry.called && fits(entry));
    const at = spoiled >= 0 ? spoiled : this.#retained.findIndex(fits);
    return at < 0 ? undefined : this.#retained.splice(at, 1)[0]!;
  }

  /** Keeps in mind that a connection is being opened. */
  async opening<T>(connectionId: string, opening: Promise<T>): Promise<T> {
    this.#opening.set(connectionId, opening);
    try {
      return await opening;
    } finally {
      this.#opening.delete(connectionId);
    }
  }

  /**
   * Resolves when the opening of a connection is over, whatever came of it. One that was given up has ended its server
   * then, and what carries the same mark: the next connection has the same id.
   */
  async openingOver(connectionId: string): Promise<void> {
    // Not swallowed: whoever opens it is told.
    await this.#opening.get(connectionId)?.catch(() => {});
  }

  add(connection: Connection, plan: PluginPlan): void {
    this.open.set(connection.id, connection);
    this.#plans.set(connection, plan);
  }

  /** Forgets a connection that is closed. */
  forget(connectionId: string): void {
    this.open.delete(connectionId);
    this.pids.delete(connectionId);
  }

  /** Notes how a server ended that had `graceMs` from the end of its input on. */
  noteEnd(connection: Connection, graceMs: number, { how }: Pick<CloseReport, "how">): void {
    const plan = this.#plans.get(connection);
    const isLate = graceMs >= defaultGraceMs && (how === "sigterm" || how === "sigkill");
    if (plan !== undefined && isLate) this.#deaf.add(plan);
  }

  /**
   * Time in ms that a server has from the end of its input until it is signalled: little where another server of the same
   * plan did not end by it.
   */
  graceMs(connection: Connection): number {
    const plan = this.#plans.get(connection);
    return plan !== undefined && this.#deaf.has(plan) ? deafGraceMs : defaultGraceMs;
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
