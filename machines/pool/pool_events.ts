/** Events and facts of the pool. */
import type { AnyActorRef } from "xstate";
import type { ConnectionFact, OpenedConnection } from "../connection_machine.ts";
import type { CloseReport, ConnectionLoss } from "../model/plugin.ts";
import type { Lease } from "./members.ts";

/** Facts for the holder of a lease. */
export type LeaseFact =
  | {
    type: "lease.granted";
    leaseId: string;
    connectionId: string;
    connection: AnyActorRef;
    pid: number | undefined;
  }
  | { type: "lease.refused"; leaseId: string; error: unknown }
  | { type: "connection.lost"; connectionId: string; loss: ConnectionLoss };

export type PoolEvent =
  /** `spares`: instances that are opened ahead of who will lease them, within the size; default none. */
  | { type: "pool.resize"; size: number; spares?: number }
  /** No lease of this group will come any more. */
  | { type: "pool.retire"; group: string }
  /** The servers are about to go with what they run in: none is opened in their place until somebody wants one. */
  | { type: "pool.rest" }
  /** Keeps the servers after all. */
  | { type: "pool.wake" }
  /** Ends the idle servers, and tells `pool.vacated` once none runs; the next lease starts one. */
  | { type: "pool.vacate"; asker: AnyActorRef }
  | { type: "pool.close" }
  | ({ type: "lease.requested" } & Lease)
  /** `restart`: the instance is damaged, or must not be shared. */
  | { type: "lease.released"; leaseId: string; restart?: boolean }
  | ConnectionFact
  /** A connection's actor has died of an error of its own. */
  | { type: `xstate.error.actor.${string}`; error: unknown; actorId: string };

/** Facts for the plugin. */
export type PoolFact =
  | ({ type: "pool.opened" } & OpenedConnection)
  | { type: "pool.failed"; error: unknown }
  | { type: "pool.closed"; reports: CloseReport[] };
