/** Since when an actor is in each of its states. */
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from "xstate";
import type { StateValue } from "../recording/format.ts";
import { activeStates, domainOf, passesThrough, sameValue, transitionOf } from "./active_states.ts";
import { countBefore, type IndexedActor, type TimelineIndex } from "./timeline_index.ts";

export interface EnteredState {
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
): EnteredState[] {
  const count = countBefore(actor.snapshots, position);
  const value = count === 0 ? undefined : index.value(actor.snapshots[count - 1]!);
  if (value === undefined) return [];
  const active = activeStates(machine, value);
  const way = new Way(index, machine);
  const entered = new Map<AnyStateNode, number>();
  const missing = new Set(active.slice(1));
  for (let place = count - 1; place > 0 && missing.size > 0; place--) {
    const snapshot = actor.snapshots[place]!;
    for (const node of way.entered(snapshot, actor.snapshots[place - 1]!, missing)) {
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

/** The way back through an actor's snapshots, which may be hundreds of thousands; what they tell is a few things. */
class Way {
  readonly #index: TimelineIndex;
  readonly #machine: AnyStateMachine;
  readonly #moves = new Map<readonly string[], AnyTransitionDefinition[]>();
  readonly #states = new Map<StateValue, ReadonlySet<AnyStateNode>>();

  constructor(index: TimelineIndex, machine: AnyStateMachine) {
    this.#index = index;
    this.#machine = machine;
  }

  /** Those among the missing that were entered with this snapshot, or entered again. */
  entered(snapshot: number, previous: number, missing: ReadonlySet<AnyStateNode>): AnyStateNode[] {
    const before = this.#index.value(previous);
    const moves = this.#movesOf(this.#index.taken(snapshot));
    const stayed = sameValue(before, this.#index.value(snapshot));
    if (stayed && moves.length === 0) return [];
    const states = stayed ? undefined : this.#statesOf(before ?? {});
    return [...missing].filter((node) =>
      (states !== undefined && !states.has(node)) || moves.some((one) => passesThrough(one, node))
    );
  }

  #movesOf(taken: readonly string[]): AnyTransitionDefinition[] {
    let moves = this.#moves.get(taken);
    if (moves === undefined) {
      moves = taken.flatMap((id) => transitionOf(this.#machine, id) ?? []).filter((one) =>
        domainOf(one) !== undefined
      );
      this.#moves.set(taken, moves);
    }
    return moves;
  }

  #statesOf(value: StateValue): ReadonlySet<AnyStateNode> {
    let states = this.#states.get(value);
    if (states === undefined) this.#states.set(value, states = new Set(activeStates(this.#machine, value)));
    return states;
  }
}
