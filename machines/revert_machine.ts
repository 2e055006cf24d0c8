/**
 * Takes one fix back: the environment to the snapshot before it, where there is one, then the commit; then the plugin runs
 * as the branch has it.
 *
 * A task of the session. Where the commit cannot be taken back after all, the plugin is brought up again in the environment
 * that was rolled back.
 */
import { assign, not, or, sendTo, setup, stateIn } from "xstate";
import { CommittedNotLoaded } from "./fix_machine.ts";
import type { BranchWork } from "./model/branch_work.ts";
import type { FixRecord, RevertResult } from "./model/fix.ts";
import { parentRef } from "./parent_ref.ts";
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

export interface RevertInput extends TaskInput {
  commit: string;
  reload: boolean;
  /** The plugin is loaded, or a reload lost it: a rollback ends its server. */
  wasLoaded: boolean;
}

interface RevertContext extends TaskContext, RevertInput {
  checked: BranchWork["check_revert"]["result"] | undefined;
  revert: FixRecord | undefined;
  reloaded: ReloadReport | undefined;
}

export const revertMachine = setup({
  types: {
    context: {} as RevertContext,
    input: {} as RevertInput,
    events: {} as TaskEvent,
  },
  actors: {
    check: branchStep<"check_revert">(),
    rollBack: sessionStep<"session.rollback">(),
    revert: branchStep<"revert_fix">(),
    dropSnapshots: branchStep<"drop_fix_snapshots_since">(),
    reload: sessionStep<"session.reload_plugin">(),
  },
  actions: taskActions<RevertContext>(),
  guards: {
    isUnderWay: not(or([stateIn("completed"), stateIn("failed")])),
    hasSnapshot: ({ context }) => context.checked?.snapshot !== undefined,
    mustRestart: ({ context }) => context.checked?.snapshot !== undefined && context.wasLoaded,
    mustReload: ({ context }) =>
      context.reload || (context.checked?.snapshot !== undefined && context.wasLoaded),
  },
}).createMachine({
  id: "revert",
  description: "Takes one fix back, and the environment with it where a snapshot was saved before it.",
  context: ({ input }) => ({
    ...beginTask(input),
    ...input,
    checked: undefined,
    revert: undefined,
    reloaded: undefined,
  }),
  initial: "checking",
  on: taskTransitions,
  states: {
    checking: {
      invoke: {
        id: stepId,
        src: "check",
        input: ({ context: { commit, cancelled } }) => ({
          request: { type: "session.work", kind: "check_revert", args: { commit } },
          cancelled,
        }),
        onDone: { target: "checked", actions: assign({ checked: ({ event }) => event.output }) },
        onError: { target: "failed", actions: noteItsError },
      },
    },
    checked: { always: [{ guard: "hasSnapshot", target: "rollingBack" }, { target: "reverting" }] },
    rollingBack: {
      invoke: {
        id: stepId,
        src: "rollBack",
        input: ({ context: { checked, cancelled } }) => ({
          request: { type: "session.rollback", snapshot: checked!.snapshot! },
          cancelled,
        }),
        onDone: "reverting",
        onError: { target: "failed", actions: noteItsError },
      },
    },
    reverting: {
      invoke: {
        id: stepId,
        src: "revert",
        input: ({ context: { checked, cancelled } }) => ({
          request: { type: "session.work", kind: "revert_fix", args: { commit: checked!.commit } },
          cancelled,
        }),
        onDone: [
          {
            guard: "hasSnapshot",
            target: "droppingSnapshots",
            actions: assign({ revert: ({ event }) => event.output }),
          },
          { target: "reverted", actions: assign({ revert: ({ event }) => event.output }) },
        ],
        onError: [
          { guard: "mustRestart", target: "restarting", actions: noteItsError },
          { target: "failed", actions: noteItsError },
        ],
      },
    },
    /** Drops the snapshots of this fix and of all later ones: that system no longer exists. */
    droppingSnapshots: {
      invoke: {
        id: stepId,
        src: "dropSnapshots",
        input: ({ context: { checked } }) => ({
          request: {
            type: "session.work",
            kind: "drop_fix_snapshots_since",
            args: { commit: checked!.commit },
          },
          cancelled: false,
        }),
        onDone: "reverted",
        // The commit is taken back, and the plugin has to run with it; what cannot be dropped goes with its environment.
        onError: "reverted",
      },
    },
    reverted: { always: [{ guard: "mustReload", target: "reloading" }, { target: "completed" }] },
    reloading: {
      invoke: {
        id: stepId,
        src: "reload",
        input: ({ context: { caller, cancelled } }) => ({
          request: { type: "session.reload_plugin", caller },
          cancelled,
        }),
        onDone: { target: "completed", actions: assign({ reloaded: ({ event }) => event.output }) },
        onError: {
          target: "failed",
          actions: {
            type: "noteError",
            params: ({ context, event }) => ({ error: new CommittedNotLoaded(context.revert!, event.error) }),
          },
        },
      },
    },
    /** The rollback ended the server: without the revert, too, the plugin is to run as the branch has it. */
    restarting: {
      invoke: {
        id: stepId,
        src: "reload",
        input: ({ context: { caller } }) => ({
          request: { type: "session.reload_plugin", caller },
          cancelled: false,
        }),
        onDone: "failed",
        // Why nothing was taken back is what counts; that the plugin does not load is kept by the reload itself.
        onError: "failed",
      },
    },
    completed: {
      type: "final",
      entry: sendTo(
        parentRef,
        ({ context: { requestId, revert, checked, reloaded } }): TaskFact => ({
          type: "task.completed",
          requestId,
          result: {
            revert: revert!,
            rolledBack: checked!.snapshot !== undefined,
            lostSnapshot: checked!.lostSnapshot,
            reloaded,
          } satisfies RevertResult,
        }),
      ),
    },
    failed: { type: "final", entry: "tellFailed" },
  },
});
