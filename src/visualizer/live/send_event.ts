/** An event from a person to an actor of a living session, where it makes sense. */
import {
  type AnyActorRef,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type EventObject,
  transition,
} from "xstate";
import { asPthError, errorMessage, PthError } from "../../core/errors.ts";
import { isObject } from "../../core/values.ts";
import { didYouMean } from "../../core/did_you_mean.ts";
import { matchesEvent } from "../chart/matches_event.ts";

/** No event of PTH's has a name of a tenth of this. */
const longestType = 200;

/**
 * Sends the event.
 * @throws {PthError} `INVALID_INPUT` for an actor that there is not or that is no machine, an event that it does not know,
 * one of XState's own, or one that its machine fails on; `NOT_NOW` for an actor that has ended
 */
export function sendEvent(
  find: (actor: string) => AnyActorRef | undefined,
  actor: string,
  event: unknown,
): void {
  const target = find(actor);
  if (target === undefined) {
    throw new PthError("INVALID_INPUT", `Cannot send to ${actor}: there is no such actor, or it has ended`);
  }
  const checked = checkedEvent(event);
  const machine = machineOf(target);
  const snapshot: AnyMachineSnapshot = target.getSnapshot();
  if (snapshot.status !== "active") {
    throw new PthError(
      "NOT_NOW",
      `Cannot send ${checked.type} to ${target.id}: it has ended (${snapshot.status})`,
    );
  }
  refuseUnknown(machine, target.id, checked.type);
  tryOut(machine, target.id, snapshot, checked);
  target.send(checked);
}

function checkedEvent(event: unknown): EventObject {
  if (!isObject(event) || typeof event["type"] !== "string" || event["type"] === "") {
    throw new PthError("INVALID_INPUT", 'Cannot send event: expected an object with a "type"', {
      next: ['Write it as { "type": "suite.cancel" }, with its other fields next to the type'],
    });
  }
  if (event["type"].length > longestType) {
    throw new PthError(
      "INVALID_INPUT",
      `Cannot send event: its type is longer than ${longestType} characters`,
    );
  }
  if (event["type"].startsWith("xstate.")) {
    throw new PthError(
      "INVALID_INPUT",
      `Cannot send ${event["type"]}: only XState sends events of this kind`,
    );
  }
  return event as unknown as EventObject;
}

function machineOf(actor: AnyActorRef): AnyStateMachine {
  const { logic } = actor as AnyActorRef & { logic?: unknown };
  if (isObject(logic) && Array.isArray(logic["events"])) return logic as unknown as AnyStateMachine;
  throw new PthError(
    "INVALID_INPUT",
    `Cannot send to ${actor.id}: it is invoked work, which receives no events`,
    {
      next: ["Send the event to the machine that started it"],
    },
  );
}

function refuseUnknown(machine: AnyStateMachine, id: string, type: string): void {
  const known = machine.events.filter((name) => !name.startsWith("xstate."));
  if (known.some((name) => matchesEvent(name, type))) return;
  const near = didYouMean(type, known);
  const names = near === undefined ? known : [near, ...known.filter((name) => name !== near)];
  throw new PthError(
    "INVALID_INPUT",
    `Cannot send ${type} to ${id}: its machine has no transition for this event`,
    {
      next: [`Events that it accepts: ${names.join(", ")}`],
    },
  );
}

/** Tries the event on a copy of the state: an actor whose machine throws would be lost, and the session with it. */
function tryOut(
  machine: AnyStateMachine,
  id: string,
  snapshot: AnyMachineSnapshot,
  event: EventObject,
): void {
  try {
    transition(machine, snapshot, event);
  } catch (error) {
    throw new PthError(
      "INVALID_INPUT",
      `Cannot send ${event.type} to ${id}: its machine fails on it: ${errorMessage(error)}`,
      {
        next: ["Add the fields that this event needs: a recording shows how it is sent otherwise"],
      },
      { cause: asPthError(error) },
    );
  }
}
