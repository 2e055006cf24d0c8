/** Who lives at a position of a recording, and how each is doing. */
import { groupBy } from "../../values.ts";
import { activeStates, awaited, type FindMachine, findMachine, sameValue } from "./machine_states.ts";
import { tellsFailure } from "./event_text.ts";
import { nameOf } from "./event_rows.ts";
import type { ActorRow } from "./timeline.ts";
import { countBefore, endOf, type IndexedActor, lastBefore, type TimelineIndex } from "./timeline_index.ts";

export interface ActorsOptions {
  /** Also those that ended at most so many milliseconds before. Default: none. */
  ended?: number;
  machines?: FindMachine;
}

/**
 * Actors at the position, parents before children.
 *
 * Health, the first that fits:
 * - `failing`: it ended in an error; its state, or one that it passed through on its way there, is named as a failure;
 *   the last event that it heard tells of one; or one that it started, and that lives, is failing;
 * - `ended`;
 * - `waiting`: work runs that it invoked in the very state it is in, or spawned. What an outer state keeps running
 *   beside it (the watch over a connection) is nothing that it waits for;
 * - `well`.
 */
export function actorsAt(
  index: TimelineIndex,
  position: number,
  { ended = 0, machines = findMachine }: ActorsOptions = {},
): ActorRow[] {
  const shown = actorsSince(index, position, ended);
  const living = groupBy(
    shown.filter(({ actor, lives }) => lives && actor.parent !== undefined).map(({ actor }) => actor),
    ({ parent }) => parent,
  );
  const rows = shown.map(({ actor, lives }) =>
    actorRow(index, actor, position, { lives, children: living.get(actor) ?? [], machines })
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

interface Shown {
  actor: IndexedActor;
  lives: boolean;
}

function actorsSince(index: TimelineIndex, position: number, ended: number): Shown[] {
  const earliest = position === 0 ? 0 : index.at(position - 1) - ended;
  const shown: Shown[] = [];
  for (const actor of index.actors) {
    if (actor.line >= position) break;
    const end = endOf(actor);
    const lives = end >= position;
    const recently = ended > 0 && !lives && index.at(end) >= earliest;
    if (lives || recently) shown.push({ actor, lives });
  }
  return shown;
}

/** One actor by itself; that one of its children is failing is not looked at. */
export function actorRow(
  index: TimelineIndex,
  actor: IndexedActor,
  position: number,
  { lives, children, machines }: { lives: boolean; children: readonly IndexedActor[]; machines: FindMachine },
): ActorRow {
  const snapshot = lastBefore(actor.snapshots, position);
  const value = snapshot === undefined ? undefined : index.value(snapshot);
  const status = snapshot === undefined ? "active" : index.status(snapshot);
  const end = endOf(actor);
  return {
    ...nameOf(actor),
    ...(actor.parent === undefined ? {} : { parent: actor.parent.actor }),
    ...(actor.machine === undefined ? {} : { machine: actor.machine }),
    ...(actor.slot === undefined ? {} : { slot: actor.slot }),
    ...(value === undefined ? {} : { value }),
    status,
    startedAt: index.at(actor.line),
    ...(end < position ? { endedAt: index.at(end) } : {}),
    heard: countBefore(actor.heard, position),
    health: hasFailed(index, actor, position, lives, machines)
      ? "failing"
      : !lives
      ? "ended"
      : waitsForWork(index, actor, children, snapshot, machines)
      ? "waiting"
      : "well",
    children: children.length,
  };
}

/** So many snapshots back, at most, is looked for the way into a state: what lies farther is no news. */
const farBack = 50;

function hasFailed(
  index: TimelineIndex,
  actor: IndexedActor,
  position: number,
  lives: boolean,
  machines: FindMachine,
): boolean {
  const snapshot = lastBefore(actor.snapshots, position);
  if (snapshot !== undefined && index.status(snapshot) === "error") return true;
  const heard = lastBefore(actor.heard, position);
  if (lives && heard !== undefined && tellsFailure(index.eventType(heard))) return true;
  return snapshot !== undefined && actor.machine !== undefined &&
    isInFailure(index, actor, position, machines);
}

/** In a state named as a failure, or come through one: `connection.lost`, then `connection.closing`. */
function isInFailure(
  index: TimelineIndex,
  actor: IndexedActor,
  position: number,
  machines: FindMachine,
): boolean {
  const machine = machines(actor.machine);
  const count = countBefore(actor.snapshots, position);
  const value = index.value(actor.snapshots[count - 1]!);
  if (machine === undefined || value === undefined) return false;
  if (activeStates(machine, value).some((node) => tellsFailure(node.id))) return true;
  for (let place = count - 1; place >= Math.max(0, count - farBack); place--) {
    const taken = index.taken(actor.snapshots[place]!);
    if (taken.some((id) => tellsFailure(id.slice(0, id.indexOf("|"))))) return true;
    const before = place === 0 ? undefined : index.value(actor.snapshots[place - 1]!);
    if (!sameValue(before, value)) return false;
  }
  return false;
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
  return awaited(machine, activeStates(machine, value), work).length > 0;
}
