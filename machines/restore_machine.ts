/**
 * Takes the environment back to a snapshot, and reloads the plugin in it.
 *
 * A task of the session. Where `recover` is asked for and the snapshot cannot be had, a new environment takes its place.
 */
import type { RestoreResult } from "./model/session.ts";
import { assign, not, or, sendTo, setup, stateIn } from "xstate";
import { messageOf } from "./message_of.ts";
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

export interface RestoreInput extends TaskInput {
  readonly snapshot: string;
  /** A new environment is wanted where this one cannot go back. */
  readonly recover: boolean;
  /** The plugin is loaded, or a reload lost it. */
  readonly wasLoaded: boolean;
}

interface RestoreContext extends TaskContext, RestoreInput {
  /** Reason why a new environment was provisioned. */
  recovered: string | undefined;
}

/** The environment is back, but the plugin does not load there. */
export class RestoredNotLoaded extends Error {
  readonly snapshot: string;

  constructor(snapshot: string, cause: unknown) {
    super(`The environment is back at ${snapshot}, but the plugin does not load there`, { cause });
    this.snapshot = snapshot;
  }
}

/** Codes of what a new environment cures; a wrong name or a plugin that does not build it does not. */
const curable: readonly unknown[] = [
  "ROLLBACK_FAILED",
  "ENVIRONMENT_LOST",
  "SNAPSHOT_FAILED",
  "NO_SUCH_SNAPSHOT",
];
const isCurable = (error: unknown): boolean =>
  curable.includes((error as { code?: unknown } | undefined)?.code);

export const restoreMachine = setup({
  types: {
    context: {} as RestoreContext,
    input: {} as RestoreInput,
    events: {} as TaskEvent,
  },
  actors: {
    rollBack: sessionStep<"session.rollback">(),
    reload: sessionStep<"session.reload_plugin">(),
    /** Tells that a new environment takes the place of this one. */
    noteRecovery: slot<void, { error: unknown }>("restore.note_recovery"),
    replace: sessionStep<"session.replace_environment">(),
  },
  actions: taskActions<RestoreContext>(),
  guards: {
    isUnderWay: not(or([stateIn("completed"), stateIn("failed")])),
    wasLoaded: ({ context }) => context.wasLoaded,
    canRecover: ({ context }, { error }: { error: unknown }) => context.recover && isCurable(error),
  },
}).createMachine({
  id: "restore",
  description: "Takes the environment back to a snapshot, and reloads the plugin in it.",
  context: ({ input }) => ({ ...beginTask(input), ...input, recovered: undefined }),
  initial: "rollingBack",
  on: taskTransitions,
  states: {
    rollingBack: {
      invoke: {
        id: stepId,
        src: "rollBack",
        input: ({ context: { snapshot, cancelled } }) => ({
          request: { type: "session.rollback", snapshot },
          cancelled,
        }),
        onDone: [{ guard: "wasLoaded", target: "reloading" }, { target: "completed" }],
        onError: [
          {
            guard: { type: "canRecover", params: ({ event }) => ({ error: event.error }) },
            target: "notingRecovery",
            actions: noteItsError,
          },
          { target: "failed", actions: noteItsError },
        ],
      },
    },
    /** Reloads the plugin: packages installed outside of its folder went with the environment. */
    reloading: {
      invoke: {
        id: stepId,
        src: "reload",
        input: ({ context: { caller, cancelled } }) => ({
          request: { type: "session.reload_plugin", caller },
          cancelled,
        }),
        onDone: "completed",
        onError: [
          {
            guard: { type: "canRecover", params: ({ event }) => ({ error: event.error }) },
            target: "notingRecovery",
            actions: noteItsError,
          },
          {
            target: "failed",
            actions: {
              type: "noteError",
              params: ({ context, event }) => ({
                error: new RestoredNotLoaded(context.snapshot, event.error),
              }),
            },
          },
        ],
      },
    },
    notingRecovery: {
      entry: assign({ recovered: ({ context }) => messageOf(context.error) }),
      invoke: {
        id: stepId,
        src: "noteRecovery",
        input: ({ context: { error } }) => ({ error }),
        onDone: "replacing",
        onError: { target: "failed", actions: noteItsError },
      },
    },
    replacing: {
      invoke: {
        id: stepId,
        src: "replace",
        input: ({ context: { caller, cancelled } }) => ({
          request: { type: "session.replace_environment", config: {}, caller },
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
        ({ context: { requestId, wasLoaded, recovered } }): TaskFact => ({
          type: "task.completed",
          requestId,
          result: { reloaded: wasLoaded, recovered } satisfies RestoreResult,
        }),
      ),
    },
    failed: { type: "final", entry: "tellFailed" },
  },
});
