/**
 * Applies one fix: checked, with a snapshot before it where that is asked for, committed, brought into the plugin, saved.
 *
 * A task of the session. A fix that cannot be committed leaves no snapshot behind; one that is committed stays, also where
 * the plugin does not load with it.
 */
import { assign, not, or, sendTo, setup, stateIn } from "xstate";
import type { CheckpointArgs } from "./model/branch_work.ts";
import type { FixRecord, FixRequest, FixResult } from "./model/fix.ts";
import { parentRef } from "./parent_ref.ts";
import { slot } from "./slot.ts";
import { branchStep, sessionStep } from "./task/session_step.ts";
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
import type { ReloadReport } from "./model/reload_report.ts";

export interface FixInput extends TaskInput {
  readonly request: FixRequest;
  /** The plugin is to run with it. */
  readonly reload: boolean;
  /** The session's state is saved on the branch after it. */
  readonly save: boolean;
}

export interface FixContext extends TaskContext, FixInput {
  snapshot: string | undefined;
  fix: FixRecord | undefined;
  /** Changes that the reload made. */
  reloaded: ReloadReport | undefined;
  /** State of the session to save. */
  state: CheckpointArgs | undefined;
  /** Reason why the session's state is not saved. */
  unsaved: unknown;
}

/** A commit is made, but the plugin does not load with it. */
export class CommittedNotLoaded extends Error {
  readonly commit: FixRecord;

  constructor(commit: FixRecord, cause: unknown) {
    super(`The ${commit.type} is committed, but the plugin does not load with it`, { cause });
    this.commit = commit;
  }
}

export const fixMachine = setup({
  types: {
    context: {} as FixContext,
    input: {} as FixInput,
    events: {} as TaskEvent,
  },
  actors: {
    check: branchStep<"check_fix">(),
    takeSnapshot: sessionStep<"session.snapshot">(),
    commit: branchStep<"apply_fix">(),
    dropSnapshot: branchStep<"drop_fix_snapshot">(),
    reload: sessionStep<"session.reload_plugin">(),
    checkpoint: branchStep<"checkpoint">(),
    /** Gathers what is to be saved of the session. */
    summarize: slot<CheckpointArgs, void>("fix.summarize"),
  },
  actions: {
    ...taskActions<FixContext>(),
    noteUnsaved: assign({ unsaved: (_, { error }: { error: unknown }) => error }),
  },
  guards: {
    isUnderWay: not(or([stateIn("completed"), stateIn("failed")])),
    wantsSnapshot: ({ context }) => context.request.snapshot === true,
    hasSnapshot: ({ context }) => context.snapshot !== undefined,
    wantsReload: ({ context }) => context.reload,
    isSaved: ({ context }) => context.save,
  },
}).createMachine({
  id: "fix",
  description: "Applies one fix: checked, with a snapshot, committed, brought into the plugin, saved.",
  context: ({ input }) => ({
    ...beginTask(input),
    ...input,
    snapshot: undefined,
    fix: undefined,
    reloaded: undefined,
    state: undefined,
    unsaved: undefined,
  }),
  initial: "deciding",
  on: taskTransitions,
  states: {
    deciding: { always: [{ guard: "wantsSnapshot", target: "checking" }, { target: "committing" }] },
    /** A snapshot is taken only of a fix that applies. */
    checking: {
      invoke: {
        id: stepId,
        src: "check",
        input: ({ context: { request, cancelled } }) => ({
          request: { type: "session.work", kind: "check_fix", args: { request } },
          cancelled,
        }),
        onDone: "snapshotting",
        onError: { target: "failed", actions: noteItsError },
      },
    },
    snapshotting: {
      invoke: {
        id: stepId,
        src: "takeSnapshot",
        input: ({ context: { requestId, cancelled } }) => ({
          request: { type: "session.snapshot", tag: `before-fix-${requestId.slice(0, 8)}` },
          cancelled,
        }),
        onDone: { target: "committing", actions: assign({ snapshot: ({ event }) => event.output }) },
        onError: { target: "failed", actions: noteItsError },
      },
    },
    committing: {
      invoke: {
        id: stepId,
        src: "commit",
        input: ({ context: { request, snapshot, cancelled } }) => ({
          request: {
            type: "session.work",
            kind: "apply_fix",
            args: { request, ...(snapshot === undefined ? {} : { snapshot }) },
          },
          cancelled,
        }),
        onDone: { target: "committed", actions: assign({ fix: ({ event }) => event.output }) },
        onError: [
          { guard: "hasSnapshot", target: "droppingSnapshot", actions: noteItsError },
          { target: "failed", actions: noteItsError },
        ],
      },
    },
    droppingSnapshot: {
      invoke: {
        id: stepId,
        src: "dropSnapshot",
        input: ({ context: { snapshot } }) => ({
          request: { type: "session.work", kind: "drop_fix_snapshot", args: { snapshot: snapshot! } },
          cancelled: false,
        }),
        onDone: "failed",
        // Why there is no fix is what counts; the snapshot goes with its environment.
        onError: "failed",
      },
    },
    committed: {
      always: [
        { guard: "wantsReload", target: "reloading" },
        { guard: "isSaved", target: "summarizing" },
        { target: "completed" },
      ],
    },
    reloading: {
      invoke: {
        id: stepId,
        src: "reload",
        input: ({ context: { caller, cancelled } }) => ({
          request: { type: "session.reload_plugin", caller },
          cancelled,
        }),
        onDone: [
          {
            guard: "isSaved",
            target: "summarizing",
            actions: assign({ reloaded: ({ event }) => event.output }),
          },
          { target: "completed", actions: assign({ reloaded: ({ event }) => event.output }) },
        ],
        onError: {
          target: "failed",
          actions: {
            type: "noteError",
            params: ({ context, event }) => ({ error: new CommittedNotLoaded(context.fix!, event.error) }),
          },
        },
      },
    },
    summarizing: {
      invoke: {
        id: stepId,
        src: "summarize",
        onDone: { target: "checkpointing", actions: assign({ state: ({ event }) => event.output }) },
        onError: {
          target: "completed",
          actions: { type: "noteUnsaved", params: ({ event }) => ({ error: event.error }) },
        },
      },
    },
    checkpointing: {
      invoke: {
        id: stepId,
        src: "checkpoint",
        input: ({ context: { state } }) => ({
          request: { type: "session.work", kind: "checkpoint", args: state! },
          cancelled: false,
        }),
        onDone: "completed",
        onError: {
          target: "completed",
          actions: { type: "noteUnsaved", params: ({ event }) => ({ error: event.error }) },
        },
      },
    },
    completed: {
      type: "final",
      entry: sendTo(
        parentRef,
        ({ context: { requestId, fix, snapshot, reloaded, unsaved } }): TaskFact => ({
          type: "task.completed",
          requestId,
          result: { fix: fix!, snapshot, reloaded, unsaved } satisfies FixResult,
        }),
      ),
    },
    failed: { type: "final", entry: "tellFailed" },
  },
});
