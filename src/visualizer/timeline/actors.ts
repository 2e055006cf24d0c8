/** Actors at a position of a recording, with their health. */
import { groupBy } from "../../core/values.ts";
import { nameOf } from "./event_row.ts";
import { FailureIndex } from "./failure_index.ts";
import { activeStates, type FindMachine, findMachine, invokedActors } from "./active_states.ts";
import type { ActorRow, EndedActors } from "./timeline.ts";
import {
  actorEnd,
  countBefore,
  type IndexedActor,
  lastIndexBefore,
  type TimelineIndex,
} from "./timeline_index.ts";

export interface ActorsOptions extends EndedActors {
  machines?: FindMachine;
}

/**
 * Actors at the position, parents before children.
 *
 * Health, the first that fits:
 * - `failing`: it ended in an error, or reported a verdict that is a failure; its state, or one that it passed through on its
 *   way there, is named as a failure; the last event that it received reports one; or one that it started, and that lives,
 *   is failing;
 * - `ended`;
 * - `waiting`: work runs that it invoked in the very state it is in, or spawned. What an outer state keeps running
 *   beside it (the watch over a connection) is nothing that it waits for;
 * - `well`.
 */
export function actorsAt(
  index: TimelineIndex,
  position: number,
  { machines = findMachine, ...which }: ActorsOptions = {},
): ActorRow[] {
  const failures = new FailureIndex(index, position, machines);
  const shown = shownActors(index, position, which, (actor) => failures.has(actor, false));
  const living = groupBy(
    shown.filter(({ actor, lives }) => lives && actor.parent !== undefined).map(({ actor }) => actor),
    ({ parent }) => parent,
  );
  const rows = shown.map(({ actor, lives }) =>
    actorRow(index, actor, position, { lives, children: living.get(actor) ?? [], machines, failures })
  );
  const places = new Map(shown.map(({ actor }, place) => [actor, place]));
  // Children come after their parents: by the time a parent's turn comes, all of its children have had theirs.
  for (let place = shown.length - 1; place > 0; place--) {
    const parent = places.get(shown[place]!.actor.parent!);
    if (parent === undefined || rows[place]!.health !== "failing" || !shown[place]!.lives) continue;
    if (shown[parent]!.lives) rows[parent]!.health = "failing";
  }
  return rows;
}

/** Row of one actor by itself; failing children are not considered. */
export function actorRow(
  index: TimelineIndex,
  actor: IndexedActor,
  position: number,
  { lives, children, machines, failures = new FailureIndex(index, position, machines) }: {
    lives: boolean;
    children: readonly IndexedActor[];
    machines: FindMachine;
    failures?: FailureIndex;
  },
): ActorRow {
  const snapshot = lastIndexBefore(actor.snapshots, position);
  const value = snapshot === undefined ? undefined : index.value(snapshot);
  const status = snapshot === undefined ? "active" : index.status(snapshot);
  const end = actorEnd(actor);
  return {
    ...nameOf(actor),
    ...(actor.name === undefined ? {} : { name: actor.name }),
    ...(actor.parent === undefined ? {} : { parent: actor.parent.actor }),
    ...(actor.machine === undefined ? {} : { machine: actor.machine }),
    ...(actor.slot === undefined ? {} : { slot: actor.slot }),
    ...(value === undefined ? {} : { value }),
    status,
    startedAt: index.at(actor.line),
    ...(end < position ? { endedAt: index.at(end) } : {}),
    heard: countBefore(actor.heard, position),
    health: failures.has(actor, lives)
      ? "failing"
      : !lives
      ? "ended"
      : waitsForWork(index, actor, children, snapshot, machines)
      ? "waiting"
      : "well",
    children: children.length,
  };
}

function waitsForWork(
  index: TimelineIndex,
  actor: IndexedActor,
  children: readonly IndexedActor[],
  snapshot: number | undefined,
  machines: FindMachine,
): boolean {
  const work = children.filter((child) => child.slot !== undefined);
  if (work.length === 0) return false;
  const value = snapshot === undefined ? undefined : index.value(snapshot);
  const machine = machines(actor.machine);
  if (machine === undefined || value === undefined) return true;
  return invokedActors(machine, activeStates(machine, value), work).length > 0;
}

/** An actor that is listed at a position. */
interface ShownActor {
  actor: IndexedActor;
  lives: boolean;
}

/** Failed children of each actor that are listed, the latest ones. */
const mostFailed = 1000;

/**
 * Parents before children.
 * @param hasFailed asked of those that ended
 */
function shownActors(
  index: TimelineIndex,
  position: number,
  { ended = 0, endedOfEach = Infinity, selected }: EndedActors,
  hasFailed: (actor: IndexedActor) => boolean,
): ShownActor[] {
  const shown = actorsSince(index, position, ended);
  return endedOfEach === Infinity ? shown : lastOf(shown, endedOfEach, selected, hasFailed);
}

function actorsSince(index: TimelineIndex, position: number, ended: number): ShownActor[] {
  const earliest = position === 0 ? 0 : index.at(position - 1) - ended;
  const shown: ShownActor[] = [];
  for (const actor of index.actors) {
    if (actor.line >= position) break;
    const end = actorEnd(actor);
    const lives = end >= position;
    const recently = ended > 0 && !lives && index.at(end) >= earliest;
    if (lives || recently) shown.push({ actor, lives });
  }
  return shown;
}

function lastOf(
  shown: readonly ShownActor[],
  most: number,
  selected: string | undefined,
  hasFailed: (actor: IndexedActor) => boolean,
): ShownActor[] {
  const [failed, well] = [new LastOfEach(mostFailed), new LastOfEach(most)];
  const last = new Set<IndexedActor>();
  /** Stay with all that they belong to. */
  const wanted: IndexedActor[] = [];
  for (const { actor, lives } of shown.toReversed()) {
    const isFailure = !lives && hasFailed(actor);
    if (lives || (isFailure ? failed : well).takes(actor)) last.add(actor);
    if (actor.actor === selected || (isFailure && last.has(actor))) wanted.push(actor);
  }
  const kept = new Set<IndexedActor | undefined>([undefined]);
  for (const { actor } of shown) if (last.has(actor) && kept.has(actor.parent)) kept.add(actor);
  for (const actor of wanted) {
    for (let at: IndexedActor | undefined = actor; !kept.has(at); at = at?.parent) kept.add(at);
  }
  return shown.filter(({ actor }) => kept.has(actor));
}

/** Counts the children of each actor. */
class LastOfEach {
  readonly #counts = new Map<IndexedActor | undefined, number>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** False for those that are too many of their parent's. */
  takes({ parent }: IndexedActor): boolean {
    const count = (this.#counts.get(parent) ?? 0) + 1;
    this.#counts.set(parent, count);
    return count <= this.#most;
  }
}
