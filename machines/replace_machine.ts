/**
 * Replaces the environment by a new one, and brings the plugin up in it where it was loaded before.
 *
 * A task of the session. What cannot be had must not cost the environment that is there: it is checked first. An environment
 * that cannot be destroyed is given up, so that the session goes on in another.
 */
import { assign, not, or, sendTo, setup, stateIn } from "xstate";
import type { EnvironmentConfig } from "./model/environment.ts";
import type { EnvironmentInfo } from "./model/session.ts";
import { parentRef } from "./parent_ref.ts";
import { slot } from "./slot.ts";
import { sessionStep } from "./task/session_step.ts";
import {
  beginTask,
  noteItsError,
  stepId,
  taskActions,
  type TaskContext,
  type TaskEvent,
  type TaskFact,
  type TaskInput,
  taskTransitions,
} from "./task/task.ts";

export interface ReplaceInput extends TaskInput {
  config: Partial<EnvironmentConfig>;
  /** True if there is an environment to replace. */
  readonly present: boolean;
  /** The plugin runs in it. */
  readonly running: boolean;
  /** Dependencies run in it. */
  readonly dependencies: boolean;
  /** The plugin is loaded, or a reload lost it. */
  readonly wasLoaded: boolean;
}

interface ReplaceContext extends TaskContext, ReplaceInput {
  environment: EnvironmentInfo | undefined;
}

export const replaceMachine = setup({
  types: {
    context: {} as ReplaceContext,
    input: {} as ReplaceInput,
    events: {} as TaskEvent,
  },
  actors: {
    /** Completes the configuration by what is there, and makes sure that it can be had. */
    prepare: slot<Partial<EnvironmentConfig>, { config: Partial<EnvironmentConfig>; present: boolean }>(
      "replace.prepare",
    ),
    unload: sessionStep<"session.unload">(),
    stopDependencies: sessionStep<"session.stop_dependencies">(),
    destroy: sessionStep<"session.destroy_environment">(),
    abandon: sessionStep<"session.abandon_environment">(),
    /** Keeps in mind what could not be destroyed, for the session's end. */
    noteAbandoned: slot<void, { error: unknown }>("replace.note_abandoned"),
    provision: sessionStep<"session.provision">(),
    load: sessionStep<"session.load_plugin">(),
  },
  actions: taskActions<ReplaceContext>(),
  guards: {
    isUnderWay: not(or([stateIn("completed"), stateIn("failed")])),
    isRunning: ({ context }) => context.running,
    hasDependencies: ({ context }) => context.dependencies,
    isPresent: ({ context }) => context.present,
    wasLoaded: ({ context }) => context.wasLoaded,
  },
}).createMachine({
  id: "replace",
  description: "Replaces the environment, and brings the plugin up in the new one.",
  context: ({ input }) => ({ ...beginTask(input), ...input, environment: undefined }),
  initial: "preparing",
  on: taskTransitions,
  states: {
    preparing: {
      invoke: {
        id: stepId,
        src: "prepare",
        input: ({ context: { config, present } }) => ({ config, present }),
        onDone: [
          {
            guard: "isPresent",
            target: "emptying",
            actions: assign({ config: ({ event }) => event.output }),
          },
          { target: "provisioning", actions: assign({ config: ({ event }) => event.output }) },
        ],
        onError: { target: "failed", actions: noteItsError },
      },
    },
    emptying: {
      always: [
        { guard: "isRunning", target: "unloading" },
        { guard: "hasDependencies", target: "stoppingDependencies" },
        { target: "destroying" },
      ],
    },
    unloading: {
      invoke: {
        id: stepId,
        src: "unload",
        input: ({ context: { cancelled } }) => ({ request: { type: "session.unload" }, cancelled }),
        onDone: [{ guard: "hasDependencies", target: "stoppingDependencies" }, { target: "destroying" }],
        onError: { target: "failed", actions: noteItsError },
      },
    },
    stoppingDependencies: {
      invoke: {
        id: stepId,
        src: "stopDependencies",
        input: ({ context: { cancelled } }) => ({
          request: { type: "session.stop_dependencies" },
          cancelled,
        }),
        onDone: "destroying",
        onError: { target: "failed", actions: noteItsError },
      },
    },
    /** Cannot be cancelled until the new environment is there: without one the session cannot continue. */
    destroying: {
      invoke: {
        id: stepId,
        src: "destroy",
        input: { request: { type: "session.destroy_environment" }, cancelled: false },
        onDone: "provisioning",
        onError: { target: "abandoning", actions: noteItsError },
      },
    },
    abandoning: {
      invoke: {
        id: stepId,
        src: "abandon",
        input: { request: { type: "session.abandon_environment" }, cancelled: false },
        onDone: "notingAbandoned",
        onError: { target: "failed", actions: noteItsError },
      },
    },
    notingAbandoned: {
      invoke: {
        id: stepId,
        src: "noteAbandoned",
        input: ({ context: { error } }) => ({ error }),
        onDone: "provisioning",
        onError: { target: "failed", actions: noteItsError },
      },
    },
    provisioning: {
      invoke: {
        id: stepId,
        src: "provision",
        input: ({ context: { config, cancelled } }) => ({
          request: { type: "session.provision", config },
          cancelled,
        }),
        onDone: [
          {
            guard: "wasLoaded",
            target: "loading",
            actions: assign({ environment: ({ event }) => event.output }),
          },
          { target: "completed", actions: assign({ environment: ({ event }) => event.output }) },
        ],
        onError: { target: "failed", actions: noteItsError },
      },
    },
    loading: {
      invoke: {
        id: stepId,
        src: "load",
        input: ({ context: { caller, cancelled } }) => ({
          request: { type: "session.load_plugin", caller },
          cancelled,
        }),
        onDone: "completed",
        onError: { target: "failed", actions: noteItsError },
      },
    },
    completed: {
      type: "final",
      entry: sendTo(
        parentRef,
        ({ context: { requestId, environment } }): TaskFact => ({
          type: "task.completed",
          requestId,
          result: environment,
        }),
      ),
    },
    failed: { type: "final", entry: "tellFailed" },
  },
});
