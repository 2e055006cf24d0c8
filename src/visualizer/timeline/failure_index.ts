/** Whether actors have gone wrong. */
import { reportsFailure } from "./event_text.ts";
import { activeStates, type FindMachine, sameValue } from "./active_states.ts";
import type { StateValue } from "../recording/format.ts";
import { countBefore, type IndexedActor, lastIndexBefore, type TimelineIndex } from "./timeline_index.ts";

/** Snapshots before the position that are searched for the way into a state. */
const farBack = 50;

/** Answers for thousands of actors in few different states; each state is examined once. */
export class FailureIndex {
  readonly #index: TimelineIndex;
  readonly #position: number;
  readonly #machines: FindMachine;
  readonly #states = new Map<string, Map<StateValue, boolean>>();
  readonly #taken = new Map<readonly string[], boolean>();

  constructor(index: TimelineIndex, position: number, machines: FindMachine) {
    this.#index = index;
    this.#position = position;
    this.#machines = machines;
  }

  has(actor: IndexedActor, lives: boolean): boolean {
    if (!lives && actor.toldFailure) return true;
    const count = countBefore(actor.snapshots, this.#position);
    const snapshot = actor.snapshots[count - 1];
    if (snapshot !== undefined && this.#index.status(snapshot) === "error") return true;
    const heard = lives ? lastIndexBefore(actor.heard, this.#position) : undefined;
    if (heard !== undefined && reportsFailure(this.#index.eventType(heard))) return true;
    return snapshot !== undefined && actor.machine !== undefined && this.#isIn(actor.machine, actor, count);
  }

  /** In a state named as a failure, or come through one: `connection.lost`, then `connection.closing`. */
  #isIn(machine: string, { snapshots }: IndexedActor, count: number): boolean {
    const value = this.#index.value(snapshots[count - 1]!);
    if (value === undefined || this.#machines(machine) === undefined) return false;
    if (this.#isFailure(machine, value)) return true;
    for (let place = count - 1; place >= Math.max(0, count - farBack); place--) {
      if (this.#leftFailure(this.#index.taken(snapshots[place]!))) return true;
      const before = place === 0 ? undefined : this.#index.value(snapshots[place - 1]!);
      if (!sameValue(before, value)) return false;
    }
    return false;
  }

  #isFailure(id: string, value: StateValue): boolean {
    let known = this.#states.get(id);
    if (known === undefined) this.#states.set(id, known = new Map());
    let is = known.get(value);
    if (is === undefined) {
      is = activeStates(this.#machines(id)!, value).some((node) => reportsFailure(node.id));
      known.set(value, is);
    }
    return is;
  }

  #leftFailure(taken: readonly string[]): boolean {
    let is = this.#taken.get(taken);
    if (is === undefined) {
      is = taken.some((id) => reportsFailure(id.slice(0, id.indexOf("|"))));
      this.#taken.set(taken, is);
    }
    return is;
  }
}
