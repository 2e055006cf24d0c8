/**
 * Whether PTH is at work: which tools are visible follows this machine.
 *
 * Started once by `src/app/create_harness.ts`; parent of the session.
 */
import { type ActorRefFrom, assign, emit, enqueueActions, sendTo, setup, stopChild } from "xstate";
import type { ProjectTestRun } from "./model/project_test_run.ts";
import { projectTestRunMachine } from "./project_test_run_machine.ts";
import {
  type SessionEnd,
  type SessionInput,
  type SessionLifecycle,
  sessionMachine,
} from "./session_machine.ts";
import type { TaskFact } from "./task/task.ts";

export type HarnessEvent =
  | { type: "harness.start"; session: SessionInput }
  | SessionLifecycle
  | { type: "harness.end"; keep: boolean }
  /** Runs a project's own tests in place, whether there is a session or not. */
  | { type: "harness.run_project_tests"; requestId: string; run: ProjectTestRun }
  | { type: "harness.cancel_project_tests"; requestId: string }
  | TaskFact
  /** The session has died of an error of its own. */
  | { type: "xstate.error.actor.session"; error: unknown; actorId: string };

/** Facts for the caller. */
export type HarnessFact =
  | { type: "harness.activated" }
  | { type: "harness.deactivated"; end: SessionEnd | undefined; error: unknown }
  | TaskFact;

interface HarnessContext {
  session: ActorRefFrom<typeof sessionMachine> | undefined;
  /** Runs of projects' own tests, by their request. */
  projectTests: Record<string, ActorRefFrom<typeof projectTestRunMachine>>;
}

export const harnessMachine = setup({
  types: {
    context: {} as HarnessContext,
    events: {} as HarnessEvent,
    emitted: {} as HarnessFact,
  },
  actors: { session: sessionMachine, projectTests: projectTestRunMachine },
  actions: {
    endSession: sendTo(({ context }) => context.session!, ({ event }) => ({
      type: "session.end",
      keep: event.type === "harness.end" && event.keep,
    })),
  },
}).createMachine({
  id: "harness",
  description: "Whether PTH is at work: which tools are visible follows this machine.",
  context: { session: undefined, projectTests: {} },
  initial: "dormant",
  on: {
    "harness.run_project_tests": {
      actions: assign({
        projectTests: ({ context, event: { requestId, run }, spawn }) => ({
          ...context.projectTests,
          [requestId]: spawn("projectTests", {
            id: `projectTests ${requestId}`,
            input: { requestId, caller: requestId, run },
          }),
        }),
      }),
    },
    "harness.cancel_project_tests": {
      actions: enqueueActions(({ context, event: { requestId }, enqueue }) => {
        const run = context.projectTests[requestId];
        if (run !== undefined) enqueue.sendTo(run, { type: "task.cancel" });
      }),
    },
    "task.*": {
      actions: [
        emit(({ event }) => event),
        stopChild(({ event }) => `projectTests ${event.requestId}`),
        assign({
          projectTests: ({ context: { projectTests }, event }) =>
            Object.fromEntries(Object.entries(projectTests).filter(([id]) => id !== event.requestId)),
        }),
      ],
    },
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
