/**
 * Whether PTH is at work: which tools are visible follows this machine.
 *
 * Started once by `src/app/create_harness.ts`; parent of the session.
 */
import { type ActorRefFrom, assign, emit, sendTo, setup, stopChild } from "xstate";
import {
  type SessionEnd,
  type SessionInput,
  type SessionLifecycle,
  sessionMachine,
} from "./session_machine.ts";

export type HarnessEvent =
  | { type: "harness.start"; session: SessionInput }
  | SessionLifecycle
  | { type: "harness.end"; keep: boolean }
  /** The session has died of an error of its own. */
  | { type: "xstate.error.actor.session"; error: unknown; actorId: string };

/** Facts for the caller. */
export type HarnessFact =
  | { type: "harness.activated" }
  | { type: "harness.deactivated"; end: SessionEnd | undefined; error: unknown };

interface HarnessContext {
  session: ActorRefFrom<typeof sessionMachine> | undefined;
}

export const harnessMachine = setup({
  types: {
    context: {} as HarnessContext,
    events: {} as HarnessEvent,
    emitted: {} as HarnessFact,
  },
  actors: { session: sessionMachine },
  actions: {
    endSession: sendTo(({ context }) => context.session!, ({ event }) => ({
      type: "session.end",
      keep: event.type === "harness.end" && event.keep,
    })),
  },
}).createMachine({
  id: "harness",
  description: "Whether PTH is at work: which tools are visible follows this machine.",
  context: { session: undefined },
  initial: "dormant",
  on: {
    "harness.session_ended": {
      target: ".dormant",
      actions: [
        emit(({ event: { end, error } }) => ({ type: "harness.deactivated" as const, end, error })),
        stopChild("session"),
        assign({ session: undefined }),
      ],
    },
    // Whoever waits for its end hears that nothing is known of it.
    "xstate.error.actor.session": {
      target: ".dormant",
      actions: [
        emit(({ event: { error } }) => ({ type: "harness.deactivated" as const, end: undefined, error })),
        stopChild("session"),
        assign({ session: undefined }),
      ],
    },
  },
  states: {
    dormant: {
      on: {
        "harness.start": {
          target: "starting",
          actions: assign({
            session: ({ event, spawn }) => spawn("session", { id: "session", input: event.session }),
          }),
        },
      },
    },
    starting: {
      on: {
        "harness.session_opened": { target: "active", actions: emit({ type: "harness.activated" }) },
        "harness.end": { target: "ending", actions: "endSession" },
      },
    },
    active: {
      on: { "harness.end": { target: "ending", actions: "endSession" } },
    },
    ending: {},
  },
});
