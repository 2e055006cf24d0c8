/**
 * Finds guards that refused, from what was recorded: the states before, the event, and the transitions that were
 * taken.
 *
 * XState evaluates innermost states first and, in each state, one transition after the other until one is taken. So
 * every guard before the one that was taken refused; where none was taken, all did. Guards are not evaluated again:
 * a recorded context may differ from the one that they saw.
 */
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from "xstate";
import { matchesEvent } from "../chart/matches_event.ts";
import { guardPhrase } from "../chart/phrases.ts";
import type { ActorStatus, StateValue } from "../recording/format.ts";
import type { Answers } from "./answers.ts";
import { activeStates, idOf, isLeaf, isWithin, passesThrough, transitionOf } from "./active_states.ts";
import type { RefusedGuard } from "./timeline.ts";
import { lastIndexBefore, type TimelineIndex } from "./timeline_index.ts";

interface Step {
  /** Before the event; absent where the actor has just begun. */
  before?: StateValue;
  event: string;
  /** Ids of the transitions taken. */
  taken: readonly string[];
  after: StateValue;
  status: ActorStatus;
}

/** The guards that refused in one step of an actor, in the order in which they were asked. */
function refusedGuards(machine: AnyStateMachine, step: Step): Omit<RefusedGuard, "position">[] {
  const taken = step.taken.flatMap((id) => transitionOf(machine, id) ?? []);
  const refused = [
    ...(step.before === undefined ? [] : atEvent(activeStates(machine, step.before), step.event, taken)),
    ...taken.flatMap((one) => one.eventType === "" ? guarded(one.source.always ?? [], [one]) : []),
    ...(step.status === "active" ? atRest(activeStates(machine, step.after)) : []),
  ];
  return [...new Set(refused)].map((transition) => ({
    event: transition.eventType === "" ? "" : step.event,
    transition: idOf(transition),
    guard: guardPhrase(transition.guard) ?? "guard",
  }));
}

/** The guards that refused on the way to this snapshot of an actor. */
export function refusedAt(
  index: TimelineIndex,
  answers: Answers,
  machine: AnyStateMachine,
  snapshot: number,
): RefusedGuard[] {
  const after = index.value(snapshot);
  const event = answers.eventBefore(snapshot);
  if (after === undefined || event === undefined) return [];
  const previous = lastIndexBefore(index.actorOf(snapshot).snapshots, snapshot);
  const before = previous === undefined ? undefined : index.value(previous);
  const type = index.eventType(event);
  const step = { event: type, taken: index.taken(snapshot), after, status: index.status(snapshot) };
  return refusedGuards(machine, before === undefined ? step : { ...step, before })
    .map((guard) => ({ position: event + 1, ...guard }));
}

/** Guards that refused the event, in each region from the innermost state outwards until a transition was taken. */
function atEvent(
  active: readonly AnyStateNode[],
  event: string,
  taken: readonly AnyTransitionDefinition[],
): AnyTransitionDefinition[] {
  const refused: AnyTransitionDefinition[] = [];
  const offer = (node: AnyStateNode): boolean => {
    const inner = active.filter((one) => one.parent === node).map(offer);
    if (inner.includes(true)) return true;
    const candidates = candidatesOf(node, event);
    const sayingNo = guarded(candidates, taken);
    refused.push(...sayingNo.filter((one) => !isOverruled(one, taken)));
    return sayingNo.length < candidates.length;
  };
  const root = active[0];
  if (root !== undefined) offer(root);
  return refused;
}

/** The guarded ones before the first that was taken, or that nothing could refuse. */
function guarded(
  candidates: readonly AnyTransitionDefinition[],
  taken: readonly AnyTransitionDefinition[],
): AnyTransitionDefinition[] {
  const end = candidates.findIndex((one) => one.guard === undefined || taken.includes(one));
  return end < 0 ? [...candidates] : candidates.slice(0, end);
}

/** An actor rests only when every `always` of its states has refused. */
const atRest = (active: readonly AnyStateNode[]): AnyTransitionDefinition[] =>
  active.filter(isLeaf).flatMap((leaf) => lineage(leaf)).flatMap((node) => guarded(node.always ?? [], []));

function lineage(node: AnyStateNode): AnyStateNode[] {
  return node.parent === undefined ? [node] : [node, ...lineage(node.parent)];
}

/**
 * Whether the guard may have agreed, but the transition was dropped for one in another region that left both
 * states. The recording does not tell which.
 */
const isOverruled = (
  candidate: AnyTransitionDefinition,
  taken: readonly AnyTransitionDefinition[],
): boolean =>
  candidate.target !== undefined &&
  taken.some((one) =>
    one.eventType !== "" && !isWithin(candidate.source, one.source) &&
    !isWithin(one.source, candidate.source) &&
    one.source !== candidate.source && passesThrough(one, candidate.source)
  );

/** Transitions of a state for an event: those of its exact type first, then those of patterns, the longest first. */
function candidatesOf(node: AnyStateNode, event: string): AnyTransitionDefinition[] {
  const patterns = [...node.transitions.keys()]
    .filter((pattern) => pattern !== event && matchesEvent(pattern, event))
    .sort((a, b) => b.length - a.length);
  return [event, ...patterns].flatMap((pattern) => node.transitions.get(pattern) ?? []);
}
