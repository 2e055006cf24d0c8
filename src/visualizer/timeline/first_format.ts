/** Format 1 of recordings did not say which machine an actor follows: its name tells. */
import type { ActorLine } from "../recording/format.ts";
import { findMachine } from "./machine_states.ts";

export const firstFormat = "pth-recording/1";

/** With its machine or slot, where the name is one that PTH gives: `test-12`, `0.connection.connecting`. */
export function describeActor(line: ActorLine): ActorLine {
  if (line.machine !== undefined || line.slot !== undefined) return line;
  if (line.parent === undefined) return { ...line, machine: "harness" };
  // Work is called after the state that invoked it; which of its slots that is, nothing tells.
  if (/^\d+\./.test(line.id)) return { ...line, slot: line.id };
  const machine = line.id.replace(/-.*$/s, "");
  return findMachine(machine) === undefined ? line : { ...line, machine };
}
