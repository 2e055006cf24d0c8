/** Format 1 of recordings did not say which machine an actor follows: its name tells. */
import { findMachine } from "./active_states.ts";

export const firstFormat = "pth-recording/1";

/** The machine or slot of an actor whose name is one that PTH gives: `test-12`, `0.connection.connecting`. */
export function guessWorkName(id: string, hasParent: boolean): { machine?: string; slot?: string } {
  if (!hasParent) return { machine: "harness" };
  // Work is called after the state that invoked it; which of its slots that is, nothing tells.
  if (/^\d+\./.test(id)) return { slot: id };
  const machine = id.replace(/-.*$/s, "");
  return findMachine(machine) === undefined ? {} : { machine };
}
