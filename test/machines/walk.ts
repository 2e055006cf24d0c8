/** Walks a machine with `xstate/graph`, its slots unfilled, and tells which states can be rested in and which were. */
import type { AnyStateMachine, AnyStateNode, EventObject } from "xstate";
import { getShortestPaths } from "xstate/graph";

export interface Walk {
  input?: unknown;
  events: EventObject[];
  /** What besides the state's value tells snapshots apart, so that the walk goes on. */
  distinguish?: (context: never) => unknown;
}

/** Ids of the states that some path reaches. */
export function visitedStates(machine: AnyStateMachine, walks: readonly Walk[]): Set<string> {
  const visited = new Set<string>();
  for (const { input, events, distinguish } of walks) {
    const paths = getShortestPaths(machine, {
      ...(input === undefined ? {} : { input }),
      events,
      limit: 20_000,
      serializeState: (snapshot: { value?: unknown; context?: unknown }) =>
        JSON.stringify([snapshot.value, distinguish?.(snapshot.context as never)]),
    } as never);
    for (const { state } of paths) {
      for (const node of (state as unknown as { _nodes: AnyStateNode[] })._nodes) visited.add(node.id);
    }
  }
  return visited;
}

/** Ids of all states but those that are left the moment they are entered. */
export function restingStates(machine: AnyStateMachine): string[] {
  const ids: string[] = [];
  const visit = (node: AnyStateNode) => {
    const passing = node.always?.some((transition) => transition.guard === undefined) ?? false;
    if (!passing) ids.push(node.id);
    for (const child of Object.values(node.states)) visit(child);
  };
  visit(machine.root);
  return ids;
}

export const done = (id: string, output?: unknown): EventObject =>
  ({ type: `xstate.done.actor.${id}`, output }) as EventObject;
export const failed = (id: string, error: unknown = new Error("broken")): EventObject =>
  ({ type: `xstate.error.actor.${id}`, error, actorId: id }) as EventObject;
export const event = (type: string, facts: Record<string, unknown> = {}): EventObject => ({ type, ...facts });
