/**
 * Runs hooks for one event in the environment: prepares their folders, runs all side by side, and collects what they changed.
 *
 * A task of the session. Each hook has its own limit, which its slot keeps; one that cannot be ended fails the task. It judges
 * nothing: exit codes and answers are results.
 */
import { assign, sendTo, setup } from "xstate";
import { cancelledError } from "./cancelled_error.ts";
import type { HookRunEnd, HookRunRequest, HookRunResult, PreparedHooks } from "./model/hook_run.ts";
import { parentRef } from "./parent_ref.ts";
import { slot } from "./slot.ts";
import { beginTask, type TaskContext, type TaskEvent, type TaskFact, type TaskInput } from "./task/task.ts";

export interface HookRunInput extends TaskInput {
  readonly run: HookRunRequest;
}

export interface HookWorkInput {
  run: HookRunRequest;
  prepared: PreparedHooks;
}

interface HookRunContext extends TaskContext, HookRunInput {
  prepared: PreparedHooks | undefined;
  ended: { payload: HookRunResult["payload"]; runs: HookRunEnd[] } | undefined;
  changes: HookRunResult["changes"];
}

const noteItsError = {
  type: "noteError",
  params: ({ event }: { event: { error: unknown } }) => ({ error: event.error }),
} as const;

const tooLate = (what: string) => ({
  target: "failed",
  actions: { type: "noteError", params: () => ({ error: new Error(`Cannot ${what}: it took too long`) }) },
} as const);

export const hookRunMachine = setup({
  types: {
    context: {} as HookRunContext,
    input: {} as HookRunInput,
    events: {} as TaskEvent,
  },
  actors: {
    prepare: slot<PreparedHooks, { run: HookRunRequest }>("hook_run.prepare"),
    work: slot<NonNullable<HookRunContext["ended"]>, HookWorkInput>("hook_run.work"),
    collect: slot<HookRunResult["changes"], HookWorkInput>("hook_run.collect"),
  },
  actions: {
    noteError: assign((_, { error }: { error: unknown }) => ({ error })),
    noteCancel: assign({ cancelled: true, error: () => cancelledError("the hooks") }),
  },
  /** In ms. */
  delays: {
    preparation: 60_000,
    running: ({ context: { run } }) => Math.max(0, ...run.hooks.map(({ limitMs }) => limitMs)) + 30_000,
    collection: 30_000,
  },
}).createMachine({
  id: "hookRun",
  description: "Hooks of a plugin for one event.",
  context: ({ input }) => ({
    ...beginTask(input),
    ...input,
    prepared: undefined,
    ended: undefined,
    changes: [],
  }),
  initial: "preparing",
  states: {
    preparing: {
      invoke: {
        src: "prepare",
        input: ({ context: { run } }) => ({ run }),
        onDone: { target: "running", actions: assign({ prepared: ({ event }) => event.output }) },
        onError: { target: "failed", actions: noteItsError },
      },
      on: { "task.cancel": { target: "failed", actions: "noteCancel" } },
      after: { preparation: tooLate("prepare the hooks") },
    },
    /** Leaving it ends the hooks. */
    running: {
      invoke: {
        src: "work",
        input: ({ context: { run, prepared } }) => ({ run, prepared: prepared! }),
        onDone: { target: "collecting", actions: assign({ ended: ({ event }) => event.output }) },
        onError: { target: "failed", actions: noteItsError },
      },
      on: { "task.cancel": { target: "failed", actions: "noteCancel" } },
      after: { running: tooLate("end the hooks") },
    },
    collecting: {
      invoke: {
        src: "collect",
        input: ({ context: { run, prepared } }) => ({ run, prepared: prepared! }),
        onDone: { target: "completed", actions: assign({ changes: ({ event }) => event.output }) },
        onError: { target: "failed", actions: noteItsError },
      },
      on: { "task.cancel": { target: "failed", actions: "noteCancel" } },
      after: { collection: tooLate("see what the hooks changed") },
    },
    completed: {
      type: "final",
      entry: sendTo(
        parentRef,
        ({ context: { requestId, ended, changes } }): TaskFact => ({
          type: "task.completed",
          requestId,
          result: { ...ended!, changes } satisfies HookRunResult,
        }),
      ),
    },
    failed: {
      type: "final",
      entry: sendTo(
        parentRef,
        ({ context: { requestId, error } }): TaskFact => ({ type: "task.failed", requestId, error }),
      ),
    },
  },
});
