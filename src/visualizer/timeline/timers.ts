/** Timers that run in an actor's states. */
import type { AnyStateMachine } from "xstate";
import { isObject } from "../../core/values.ts";
import type { EnteredState } from "./states_since.ts";
import type { Explanation } from "./timeline.ts";

export type Timer = Explanation["timers"][number];

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

/** A delay is a number, or the name of one; or it is computed from the context, which a recording may have abridged. */
function delayMs(machine: AnyStateMachine, delay: unknown, context: unknown): number | undefined {
  const named = typeof delay === "string"
    ? machine.implementations.delays[delay] as unknown ?? Number(delay)
    : delay;
  if (typeof named !== "function") return finite(named);
  if (!isObject(context)) return undefined;
  try {
    return finite(named({ context }));
  } catch (error) {
    // What it asks for was abridged, or comes with an event.
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
