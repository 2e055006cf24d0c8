/** Since when an actor is in each of its states. */
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from "xstate";
import type { StateValue } from "../recording/format.ts";
import { activeStates, domainOf, passesThrough, sameValue, transitionOf } from "./active_states.ts";
import { countBefore, type IndexedActor, type TimelineIndex } from "./timeline_index.ts";
import { isObject } from "../../core/values.ts";
import type { Explanation } from "./timeline.ts";

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

/** Walks back through an actor's snapshots. There may be hundreds of thousands of few different states, so results are cached. */
class Way {
  readonly #index: TimelineIndex;
  readonly #machine: AnyStateMachine;
  readonly #moves = new Map<readonly string[], AnyTransitionDefinition[]>();
  readonly #states = new Map<StateValue, ReadonlySet<AnyStateNode>>();

  constructor(index: TimelineIndex, machine: AnyStateMachine) {
    this.#index = index;
    this.#machine = machine;
  }

  /** States among the missing ones that were entered with this snapshot, or entered again. */
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

/** Timers that run in an actor's states. */
type Timer = Explanation["timers"][number];

/**
 * The next to go off first, those of which that is not known last.
 * @param at the time of a line
 * @param context what the machine knew when it entered the state, as far as that was recorded
 */
export function timersOf(
  machine: AnyStateMachine,
  entered: readonly EnteredState[],
  now: number,
  at: (line: number) => number,
  context: unknown,
): Timer[] {
  const timers = entered.flatMap(({ node, snapshot, seen }) => {
    const events = new Map(node.after.map((one) => [one.eventType, one.delay] as const));
    return [...events].map(([event, delay]) => {
      const ms = seen ? delayMs(machine, delay, context) : undefined;
      return {
        event,
        state: node.id,
        ...(ms === undefined ? {} : { leftMs: Math.max(0, Math.round(at(snapshot) + ms - now)) }),
      };
    });
  });
  return timers.sort((a, b) => (a.leftMs ?? Number.MAX_VALUE) - (b.leftMs ?? Number.MAX_VALUE));
}

/** A delay is a number, or the name of one; or it is computed from the context, which may be truncated in a recording. */
function delayMs(machine: AnyStateMachine, delay: unknown, context: unknown): number | undefined {
  const named = typeof delay === "string"
    ? machine.implementations.delays[delay] as unknown ?? Number(delay)
    : delay;
  if (typeof named !== "function") return finite(named);
  if (!isObject(context)) return undefined;
  try {
    return finite(named({ context }));
  } catch (error) {
    // The value that it needs was truncated, or comes with an event.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

const finite = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

/** `limit` of `xstate.after.limit.test.running.clock.ticking`. */
export function timerName({ event, state }: Timer): string {
  const name = event.slice("xstate.after.".length, -(state.length + 1));
  return /^\d+$/.test(name) ? `${name} ms` : name;
}
