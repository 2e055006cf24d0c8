/** Machines by their id, and questions about their definitions. No code of a machine runs here. */
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from "xstate";
import * as machines from "../../../machines/mod.ts";
import { type StateValue, transitionId } from "../recording/format.ts";

/** The machine of an actor; undefined for one that this version of PTH does not have. */
export type FindMachine = (id: string | undefined) => AnyStateMachine | undefined;

const byId = new Map<string, AnyStateMachine>(
  Object.values(machines).map((machine) => [machine.id, machine as unknown as AnyStateMachine]),
);

export const findMachine: FindMachine = (id) => id === undefined ? undefined : byId.get(id);

/** The states that are active with this value: outer ones before inner ones, the root first. */
export function activeStates(machine: AnyStateMachine, value: StateValue): AnyStateNode[] {
  const active: AnyStateNode[] = [];
  const enter = (node: AnyStateNode, inside: StateValue | undefined) => {
    active.push(node);
    const parts = typeof inside === "string" ? [[inside, undefined] as const] : Object.entries(inside ?? {});
    for (const [key, part] of parts) {
      // A recording of another version may know states that are not here any more.
      if (Object.hasOwn(node.states, key)) enter(node.states[key]!, part);
    }
  };
  enter(machine.root, value);
  return active;
}

/** True for equal states. The index stores each state once, so that most comparisons are by reference. */
export const sameValue = (one: StateValue | undefined, other: StateValue | undefined): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

/** True for a state without others in it: where an actor rests. */
export const isLeaf = (node: AnyStateNode): boolean => Object.keys(node.states).length === 0;

/** `open.calling`: a state's name within its machine; the machine's id for its root. */
export const statePath = (node: AnyStateNode): string => node.path.join(".") || node.machine.id;

export const isWithin = (node: AnyStateNode, outer: AnyStateNode): boolean => {
  for (let at = node.parent; at !== undefined; at = at.parent) if (at === outer) return true;
  return false;
};

/**
 * Work that the actor waits for: invoked by one of its innermost active states, or spawned. Work of an outer state
 * (such as watching a connection) is not waited for, nor work of a state that is not active yet.
 */
export function invokedActors<Work extends { id: string }>(
  machine: AnyStateMachine,
  active: readonly AnyStateNode[],
  work: readonly Work[],
): Work[] {
  const here = new Set(active.filter(isLeaf));
  // The state is of another version: its invoked work is unknown.
  if (active.length > 0 && here.size === 0) return [...work];
  const invokers = new Map(
    statesOf(machine.root).flatMap((node) => node.invoke.map(({ id }) => [id, node] as const)),
  );
  return work.filter(({ id }) => {
    const invoker = invokers.get(id);
    return invoker === undefined || here.has(invoker);
  });
}

const statesOf = (node: AnyStateNode): AnyStateNode[] => [
  node,
  ...Object.values(node.states).flatMap((child) => statesOf(child)),
];

const known = new WeakMap<AnyStateMachine, Map<string, AnyTransitionDefinition>>();

/** A transition by its id in a recording; undefined for one of another version. */
export function transitionOf(machine: AnyStateMachine, id: string): AnyTransitionDefinition | undefined {
  let all = known.get(machine);
  if (all === undefined) known.set(machine, all = transitionsOf(machine.root, new Map()));
  return all.get(id);
}

function transitionsOf(node: AnyStateNode, found: Map<string, AnyTransitionDefinition>) {
  for (const [event, definitions] of [...node.transitions, ["", node.always ?? []] as const]) {
    definitions.forEach((one, index) => found.set(transitionId(node.id, event, index), one));
  }
  for (const child of Object.values(node.states)) transitionsOf(child, found);
  return found;
}

/** The id of a transition, as in a recording. */
export function idOf(transition: AnyTransitionDefinition): string {
  const { source, eventType } = transition;
  const among = eventType === "" ? source.always ?? [] : source.transitions.get(eventType) ?? [];
  return transitionId(source.id, eventType, among.indexOf(transition));
}

/**
 * The state within which a transition leaves and enters states; undefined for one without target, which leaves none.
 * `null` stands for the whole machine, its root included.
 */
export function domainOf(transition: AnyTransitionDefinition): AnyStateNode | null | undefined {
  if (!domains.has(transition)) domains.set(transition, findDomain(transition));
  return domains.get(transition);
}

const domains = new WeakMap<AnyTransitionDefinition, AnyStateNode | null | undefined>();

function findDomain({ source, target, reenter }: AnyTransitionDefinition): AnyStateNode | null | undefined {
  if (target === undefined || target.length === 0) return undefined;
  const inside = (outer: AnyStateNode) => (node: AnyStateNode) => node === outer || isWithin(node, outer);
  if (!reenter && target.every(inside(source))) return source;
  for (let outer = source.parent; outer !== undefined; outer = outer.parent) {
    if (target.every((node) => isWithin(node, outer!))) return outer;
  }
  return null;
}

/** True where a transition leaves this active state, or enters it. */
export function passesThrough(transition: AnyTransitionDefinition, node: AnyStateNode): boolean {
  const domain = domainOf(transition);
  return domain !== undefined && (domain === null || isWithin(node, domain));
}
