/**
 * Brings an interrupted session back to where it was: its environment, its plugin, and the tests that were in no file.
 *
 * A task of the session. A plugin whose secrets are not known is left to the client, which has to give them. Where a step
 * fails, the session stays open with what is there.
 */
import { assign, not, or, sendTo, setup, stateIn } from "xstate";
import type { EnvironmentConfig } from "./model/environment.ts";
import type { ResumedWork } from "./model/resume.ts";
import type { EnvironmentInfo, PluginInfo } from "./model/session.ts";
import { parentRef } from "./parent_ref.ts";
import { slot } from "./slot.ts";
import { sessionStep } from "./task/session_step.ts";
import {
  beginTask,
  noteItsError,
  stepId,
  taskActions,
  taskCancelled,
  type TaskContext,
  type TaskEvent,
  type TaskFact,
  type TaskInput,
  taskTransitions,
} from "./task/task.ts";

export interface ResumeInput extends TaskInput {
  readonly config: Partial<EnvironmentConfig>;
  /** Secrets of the plugin are not known. */
  readonly withheld: boolean;
}

interface ResumeContext extends TaskContext, ResumeInput {
  environment: EnvironmentInfo | undefined;
  plugin: PluginInfo | undefined;
}

export const resumeMachine = setup({
  types: {
    context: {} as ResumeContext,
    input: {} as ResumeInput,
    events: {} as TaskEvent,
  },
  actors: {
    provision: sessionStep<"session.provision">(),
    load: sessionStep<"session.load_plugin">(),
    /** Generates tests where some that have results are in no file: the same schemas give the same tests. */
    generate: slot<void, void>("resume.generate"),
  },
  actions: taskActions<ResumeContext>(),
  guards: {
    isUnderWay: not(or([stateIn("completed"), stateIn("failed")])),
    lacksSecrets: ({ context }) => context.withheld,
  },
}).createMachine({
  id: "resume",
  description: "Brings an interrupted session back: its environment, its plugin, and its generated tests.",
  context: ({ input }) => ({ ...beginTask(input), ...input, environment: undefined, plugin: undefined }),
  initial: "provisioning",
  on: taskTransitions,
  states: {
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
            guard: "lacksSecrets",
            target: "completed",
            actions: assign({ environment: ({ event }) => event.output }),
          },
          { target: "loading", actions: assign({ environment: ({ event }) => event.output }) },
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
        onDone: { target: "generating", actions: assign({ plugin: ({ event }) => event.output }) },
        onError: { target: "failed", actions: noteItsError },
      },
    },
    generating: {
      on: { "task.cancel": { target: "failed", actions: { type: "noteError", params: taskCancelled } } },
      invoke: {
        id: stepId,
        src: "generate",
        onDone: "completed",
        onError: { target: "failed", actions: noteItsError },
      },
    },
    completed: {
      type: "final",
      entry: sendTo(
        parentRef,
        ({ context: { requestId, environment, plugin } }): TaskFact => ({
          type: "task.completed",
          requestId,
          result: { environment: environment!, plugin } satisfies ResumedWork,
        }),
      ),
    },
    failed: { type: "final", entry: "tellFailed" },
  },
});
