/** Idle instances go to those who wait for one; those beyond the wanted number, or in the way of another, are closed. */
import type { AnyActorRef } from "xstate";
import {
  aliveMembers,
  canServe,
  type Lease,
  leasedTo,
  type PoolMember,
  sizeLimit,
  uncoveredLeases,
  updateMember,
} from "./members.ts";
import type { LeaseFact } from "./pool_events.ts";

interface Leases {
  members: Record<string, PoolMember>;
  waiting: readonly Lease[];
}

export interface HandedOut {
  members: Record<string, PoolMember>;
  waiting: Lease[];
  /** Facts for the holders of leases, and orders for connections, as they are to be sent. */
  sends: { to: AnyActorRef; event: LeaseFact | { type: "connection.close" } }[];
}

export function handOut(pool: Leases & { size: number; most: number }): HandedOut {
  const waiting = [...pool.waiting];
  const sends: HandedOut["sends"] = [];
  let { members } = pool;
  for (const [id, member] of Object.entries(members)) {
    if (member.state !== "idle") continue;
    const at = waiting.findIndex((lease) => canServe(member, lease));
    if (at < 0) continue;
    const [lease] = waiting.splice(at, 1) as [Lease];
    members = updateMember(members, id, { state: "leased", lease, ...leasedTo(lease) });
    const { connection, pid } = member;
    const granted = {
      type: "lease.granted" as const,
      leaseId: lease.leaseId,
      connectionId: id,
      connection,
      pid,
    };
    sends.push({ to: lease.holder, event: granted });
  }
  const open = uncoveredLeases(waiting, members);
  for (const [id, member] of Object.entries(members)) {
    if (member.state !== "idle") continue;
    // Beyond the size, or in the way of one that fits who waits.
    const room = sizeLimit(pool) - aliveMembers(members).length;
    if (room >= Math.min(open.length, 1)) continue;
    members = updateMember(members, id, { state: "closing" });
    sends.push({ to: member.connection, event: { type: "connection.close" } });
  }
  return { members, waiting, sends };
}

/** Ends a lease, held or waited for; `closing` is the instance that is not to be used any more. */
export function takeBack(
  { members, waiting }: Leases,
  { leaseId, restart = false }: { leaseId: string; restart?: boolean },
): Leases & { closing?: PoolMember } {
  const others = waiting.filter((lease) => lease.leaseId !== leaseId);
  // A server that is closing may have had a lease of the same name: a test that runs again has its own once more.
  const held = Object.entries(members)
    .find(([, { state, lease }]) => state === "leased" && lease?.leaseId === leaseId);
  if (!held) return { members, waiting: others };
  const [id, { lease: _ended, ...member }] = held;
  const left = { ...members, [id]: { ...member, state: restart ? "closing" as const : "idle" as const } };
  return { members: left, waiting: others, ...(restart && { closing: member }) };
}
