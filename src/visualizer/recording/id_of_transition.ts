/** Names the transitions of a running machine as its chart does. */
import { transitionId } from "./format.ts";

/** So much is needed of XState's definition of a transition. */
export interface TakenTransition {
  eventType: string;
  source: {
    id: string;
    always?: readonly unknown[] | undefined;
    transitions: ReadonlyMap<string, readonly unknown[]>;
  };
}

/** A machine's transitions live as long as the machine, and are taken again and again. */
const known = new WeakMap<TakenTransition, string>();

export function idOfTransition(transition: TakenTransition): string {
  let id = known.get(transition);
  if (id === undefined) known.set(transition, id = nameOf(transition));
  return id;
}

function nameOf(transition: TakenTransition): string {
  const { eventType, source } = transition;
  const alike = eventType === "" ? source.always : source.transitions.get(eventType);
  return transitionId(source.id, eventType, Math.max(0, alike?.indexOf(transition) ?? 0));
}
