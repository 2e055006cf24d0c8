/** The instances of a pool, and which of them fits whom. */
import type { ActorRefFrom, AnyActorRef } from "xstate";
import type { connectionMachine } from "../connection_machine.ts";
import type { ClientCapability, CloseReport } from "../model/plugin.ts";

export interface PoolMember {
  connection: ActorRefFrom<typeof connectionMachine>;
  instance: number;
  state: "opening" | "idle" | "leased" | "closing";
  abilities: readonly ClientCapability[];
  lease?: Lease;
  pid?: number;
  /** Group that it serves, if it serves one alone. */
  group?: string;
  /** True once a lease has used it. */
  used?: boolean;
}

/** A member that no lease has used, and that no group has. */
const isFresh = ({ group, used }: PoolMember) => group === undefined && used !== true;
/**
 * Servers act by what their client declared: an instance serves those alone who want just that. One that a group has used
 * serves that group alone, and a group begins on one that nobody has used.
 */
export const canServe = (member: PoolMember, { abilities = [], group }: Lease) =>
  member.abilities.join() === abilities.join() &&
  (member.group === group || (group !== undefined && isFresh(member)));
/** Instance that serves a lease from now on. */
export const leasedTo = ({ group }: Lease) => ({ used: true, ...(group === undefined ? {} : { group }) });
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
/** Members without the idle ones of a group, which are to be closed; the last of all stays open, for anyone. */
export function retireGroup(members: Record<string, PoolMember>, group: string) {
  const closing: PoolMember[] = [];
  let left = members;
  for (const [id, member] of Object.entries(members)) {
    if (member.group !== group || member.state !== "idle") continue;
    if (aliveMembers(left).length === 1) {
      const { group: _, ...ownerless } = member;
      left = { ...left, [id]: ownerless };
    } else {
      closing.push(member);
      left = updateMember(left, id, { state: "closing" });
    }
  }
  return { members: left, closing };
}

export interface Lease {
  leaseId: string;
  holder: AnyActorRef;
  /** Capabilities that the client declares, no more and no less; default none. */
  abilities?: readonly ClientCapability[];
  /** Group of leases that have instances of their own, which no other lease uses before or after. */
  group?: string;
}

interface PoolSize {
  size: number;
  /** Instances that can be there at once. */
  most: number;
  members: Record<string, PoolMember>;
}

export const sizeLimit = ({ size, most }: PoolSize) => Math.min(size, most);
/** Places that are taken: where servers do not bear each other, also those of servers that are still on their way out. */
export const occupiedPlaces = ({ members, size, most }: PoolSize) =>
  most < size ? Object.keys(members).length : aliveMembers(members).length;

/**
 * Counts the connections that there should be: one for each lease, held or waited for, `spares` that nobody has used yet,
 * and `least` in any case.
 */
export function wantedMembers(
  { size, spares, members, waiting }: {
    size: number;
    spares: number;
    members: Record<string, PoolMember>;
    waiting: readonly Lease[];
  },
  least: number,
): number {
  const engaged = Object.values(members).filter(({ state }) => state === "leased" || state === "idle");
  const fresh = engaged.filter((member) => member.state === "idle" && isFresh(member));
  const missing = Math.max(0, spares - fresh.length);
  return Math.min(size, Math.max(least, engaged.length + waiting.length + missing));
}

/** Reports of closed connections that are kept: a long session closes thousands. */
const reportsKept = 100;

export const withReport = (reports: CloseReport[], report: CloseReport | undefined): CloseReport[] =>
  report ? [...reports, report].slice(-reportsKept) : reports;
