/** The instances of a pool, and which of them fits whom. */
import type { ActorRefFrom, AnyActorRef } from "xstate";
import type { connectionMachine } from "../connection_machine.ts";
import type { ClientCapability } from "../model/plugin.ts";

export interface PoolMember {
  connection: ActorRefFrom<typeof connectionMachine>;
  instance: number;
  state: "opening" | "idle" | "leased" | "closing";
  abilities: readonly ClientCapability[];
  lease?: Lease;
  pid?: number;
}

/** Servers act by what their client declared: an instance serves those alone who want just that. */
export const canServe = (member: PoolMember, { abilities = [] }: Lease) =>
  member.abilities.join() === abilities.join();
/** Leases that no instance being opened will serve. */
export function uncoveredLeases(waiting: readonly Lease[], members: Record<string, PoolMember>): Lease[] {
  const opening = Object.values(members).filter(({ state }) => state === "opening");
  return waiting.filter((lease) => {
    const at = opening.findIndex((member) => canServe(member, lease));
    if (at >= 0) opening.splice(at, 1);
    return at < 0;
  });
}
export const aliveMembers = (members: Record<string, PoolMember>) =>
  Object.values(members).filter((member) => member.state !== "closing");
export const freeInstance = (members: Record<string, PoolMember>) => {
  const taken = new Set(Object.values(members).map((member) => member.instance));
  let instance = 0;
  while (taken.has(instance)) instance++;
  return instance;
};
export const updateMember = (
  members: Record<string, PoolMember>,
  id: string,
  changes: Partial<PoolMember>,
) => {
  const member = members[id];
  return member ? { ...members, [id]: { ...member, ...changes } } : members;
};
export const removeMember = (members: Record<string, PoolMember>, id: string) => {
  const { [id]: _gone, ...rest } = members;
  return rest;
};

export interface Lease {
  leaseId: string;
  holder: AnyActorRef;
  /** Capabilities that the client declares, no more and no less; default none. */
  abilities?: readonly ClientCapability[];
}

/** Counts the connections that there should be: one for each lease, held or waited for, and `least` in any case. */
export function wantedMembers(
  { size, members, waiting }: {
    size: number;
    members: Record<string, PoolMember>;
    waiting: readonly Lease[];
  },
  least: number,
): number {
  const engaged = Object.values(members).filter(({ state }) => state === "leased" || state === "idle");
  return Math.min(size, Math.max(least, engaged.length + waiting.length));
}
