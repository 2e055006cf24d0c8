/** Explains why an actor is in its state at a position, and what it waits for. */
import type { AnyStateMachine, AnyStateNode } from "xstate";
import { definedOnly } from "../../core/values.ts";
import type { Answers } from "./answers.ts";
import { eventRows } from "./event_row.ts";
import { isLeaf } from "./active_states.ts";
import { refusedAt } from "./refused_at.ts";
import type { EnteredState } from "./states_since.ts";
import type { ActorRow, Explanation, RefusedGuard } from "./timeline.ts";
import { actorEnd, countBefore, type IndexedActor, type TimelineIndex } from "./timeline_index.ts";

/** Events that are listed, and snapshots that are searched for refused guards. */
const told = 12;
const lookedAt = 100;
/** Pending actors for which the input is shown. */
const introduced = 30;

export async function explainActor(
  index: TimelineIndex,
  answers: Answers,
  actor: IndexedActor,
  position: number,
  { machine, entered, children, now }: {
    machine: AnyStateMachine | undefined;
    entered: readonly EnteredState[];
    /** Living children. */
    children: readonly ActorRow[];
    now: number;
  },
): Promise<Omit<Explanation, "summary" | "timers">> {
  const heard = countBefore(actor.heard, position);
  const newest = actor.heard.slice(Math.max(0, heard - told), heard);
  const lives = actorEnd(actor) >= position;
  return {
    last: await eventRows(index, answers, newest.toReversed()),
    refused: machine === undefined ? [] : refusedBefore(index, answers, machine, actor, position, entered),
    pending: await pendingOf(index, answers, actor, children, now),
    waitsFor: lives ? waitsFor(entered.map(({ node }) => node)) : [],
    taken: [...takenLast(index, actor, position)],
  };
}

async function pendingOf(
  index: TimelineIndex,
  answers: Answers,
  parent: IndexedActor,
  children: readonly ActorRow[],
  now: number,
): Promise<Explanation["pending"]> {
  const begun = children.slice(0, introduced).flatMap(({ actor }) => index.actor(actor)?.heard[0] ?? [])
    .filter((line) => index.eventType(line) === "xstate.init");
  const rows = await eventRows(index, answers, begun);
  // The name of its own parent is not worth showing.
  const telling = rows.filter(({ gist }) => gist !== "" && gist !== parent.id);
  const given = new Map(telling.map(({ target, gist }) => [target.actor, gist]));
  return children.map(({ actor, id, slot, machine, startedAt }) => ({
    actor,
    id,
    ...(slot === undefined ? {} : { slot }),
    ...(machine === undefined ? {} : { machine }),
    ageMs: Math.max(0, Math.round(now - startedAt)),
    ...definedOnly({ given: given.get(actor) }),
  }));
}

/** Innermost states first; what a state swallows on purpose is not waited for. */
function waitsFor(active: readonly AnyStateNode[]): Explanation["waitsFor"] {
  return active.toReversed()
    .map((node) => ({
      state: node.id,
      events: [...node.transitions.keys()].filter((type) => doesSomething(node, type)),
    }))
    .filter(({ events }) => events.length > 0);
}

const doesSomething = (node: AnyStateNode, type: string): boolean =>
  node.transitions.get(type)!.some(({ target, actions }) => target !== undefined || actions.length > 0);

function takenLast(index: TimelineIndex, actor: IndexedActor, position: number): readonly string[] {
  for (let place = countBefore(actor.snapshots, position) - 1; place >= 0; place--) {
    const taken = index.taken(actor.snapshots[place]!);
    if (taken.length > 0) return taken;
  }
  return [];
}

/** Each transition once, with the last time its guard refused since the actor moved; newest first. */
function refusedBefore(
  index: TimelineIndex,
  answers: Answers,
  machine: AnyStateMachine,
  actor: IndexedActor,
  position: number,
  entered: readonly EnteredState[],
): RefusedGuard[] {
  const moved = Math.max(-1, ...entered.filter(({ node }) => isLeaf(node)).map(({ snapshot }) => snapshot));
  const found = new Map<string, RefusedGuard>();
  const end = countBefore(actor.snapshots, position);
  for (let place = end - 1; place >= Math.max(0, end - lookedAt); place--) {
    const snapshot = actor.snapshots[place]!;
    // What was refused before it moved was refused by other states; the last event shows how it got here.
    if (snapshot < moved && place < end - 1) break;
    for (const guard of refusedAt(index, answers, machine, snapshot)) {
      if (!found.has(guard.transition)) found.set(guard.transition, guard);
    }
  }
  return [...found.values()];
}
