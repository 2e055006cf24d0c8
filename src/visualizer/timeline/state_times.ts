/** Since when an actor is in each of its states. */
import type { AnyStateMachine, AnyStateNode } from "xstate";
import { activeStates, passesThrough, sameValue, transitionOf } from "./machine_states.ts";
import { countBefore, type IndexedActor, type TimelineIndex } from "./timeline_index.ts";

export interface Entered {
  node: AnyStateNode;
  /** The snapshot with which it was entered; the first there is, where that is not recorded. */
  snapshot: number;
  /** False where it was active when the recording, or what it remembers, began. */
  seen: boolean;
}

/** The active states at a position, outer ones first, each with the moment when it was entered. Empty before the first snapshot. */
export function statesSince(
  index: TimelineIndex,
  machine: AnyStateMachine,
  actor: IndexedActor,
  position: number,
): Entered[] {
  const count = countBefore(actor.snapshots, position);
  const value = count === 0 ? undefined : index.value(actor.snapshots[count - 1]!);
  if (value === undefined) return [];
  const active = activeStates(machine, value);
  const entered = new Map<AnyStateNode, number>();
  const missing = new Set(active);
  for (let place = count - 1; place > 0 && missing.size > 0; place--) {
    const snapshot = actor.snapshots[place]!;
    for (const node of enteredWith(index, machine, snapshot, actor.snapshots[place - 1]!, missing)) {
      entered.set(node, snapshot);
      missing.delete(node);
    }
  }
  const first = actor.snapshots[0]!;
  const begun = beganWith(index, actor, first);
  return active.map((node) => ({
    node,
    snapshot: entered.get(node) ?? first,
    seen: entered.has(node) || begun,
  }));
}

/** True where its first snapshot is that of its beginning. */
const beganWith = (index: TimelineIndex, actor: IndexedActor, first: number): boolean =>
  actor.heard.length > 0 && actor.heard[0]! < first && index.eventType(actor.heard[0]!) === "xstate.init";

function enteredWith(
  index: TimelineIndex,
  machine: AnyStateMachine,
  snapshot: number,
  previous: number,
  missing: ReadonlySet<AnyStateNode>,
): AnyStateNode[] {
  const left = index.taken(snapshot).flatMap((id) => transitionOf(machine, id) ?? []);
  const before = sameValue(index.value(previous), index.value(snapshot))
    ? undefined
    : new Set(activeStates(machine, index.value(previous) ?? {}));
  return [...missing].filter((node) =>
    (before !== undefined && !before.has(node)) || left.some((one) => passesThrough(one, node))
  );
}
