/**
 * Closes a session's work before the session ends: what is under way stops, and what the session leaves is exported.
 *
 * A task of the session. Nothing in it keeps the session from ending: each step has a limit, and what could not be exported
 * is part of the answer.
 */
import { assign, not, sendTo, setup, stateIn } from "xstate";
import type { ClosedWork, ExportedSession, ExportOptions, ExportSessionArgs } from "./model/branch_work.ts";
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

export interface CloseInput extends TaskInput {
  /** Undefined: nothing is exported. */
  readonly exports: ExportOptions | undefined;
}

interface CloseContext extends TaskContext, CloseInput {
  args: ExportSessionArgs | undefined;
  exported: ExportedSession | undefined;
}

/** Limit in ms for what is under way to end: tests remove what they made, the loop records its state. */
const stopLimitMs = 5000;
/** Limit in ms on the export, and on its end once it was cancelled. */
const exportLimitMs = 60_000;
const cancelLimitMs = 5000;

const tooLate = () => ({ error: new Error(`it was not done within ${exportLimitMs / 1000} s`) });

export const closeMachine = setup({
  types: {
    context: {} as CloseContext,
    input: {} as CloseInput,
    events: {} as TaskEvent,
  },
  actors: {
    stop: sessionStep<"session.stop_work">(),
    /** Gathers what is to be exported, as it is now. */
    gather: slot<ExportSessionArgs, ExportOptions>("close.gather"),
    export: branchStep<"hand_over">(),
  },
  actions: taskActions<CloseContext>(),
  guards: {
    isUnderWay: not(stateIn("completed")),
    isExported: ({ context }) => context.exports !== undefined,
    isTooLate: stateIn({ exporting: "cancelling" }),
  },
  delays: { stopping: stopLimitMs, exporting: exportLimitMs, cancelling: cancelLimitMs },
}).createMachine({
  id: "close",
  description: "Stops what is under way in a session, and exports what the session leaves.",
  context: ({ input }) => ({ ...beginTask(input), ...input, args: undefined, exported: undefined }),
  initial: "stopping",
  on: taskTransitions,
  states: {
    stopping: {
      // What is not over by then is ended with the session.
      after: { stopping: { actions: "cancelStep" } },
      invoke: {
        id: stepId,
        src: "stop",
        input: ({ context: { cancelled } }) => ({ request: { type: "session.stop_work" }, cancelled }),
        onDone: "stopped",
        onError: "stopped",
      },
    },
    stopped: {
      always: [
        { guard: "isExported", target: "gathering" },
        { target: "completed" },
      ],
    },
    gathering: {
      invoke: {
        id: stepId,
        src: "gather",
        input: ({ context: { exports } }) => exports!,
        onDone: { target: "exporting", actions: assign({ args: ({ event }) => event.output }) },
        onError: { target: "completed", actions: noteItsError },
      },
    },
    exporting: {
      initial: "working",
      invoke: {
        id: stepId,
        src: "export",
        input: ({ context: { args, cancelled } }) => ({
          request: { type: "session.work", kind: "hand_over", args: args! },
          cancelled,
        }),
        onDone: { target: "completed", actions: assign({ exported: ({ event }) => event.output }) },
        onError: [
          { guard: "isTooLate", target: "completed" },
          { target: "completed", actions: noteItsError },
        ],
      },
      states: {
        working: {
          after: {
            exporting: {
              target: "cancelling",
              actions: [{ type: "noteError", params: tooLate }, "cancelStep"],
            },
          },
        },
        /** The work ends by itself, so that what it wrote fits together. */
        cancelling: {
          after: { cancelling: "#close.completed" },
        },
      },
    },
    completed: {
      type: "final",
      entry: sendTo(
        parentRef,
        ({ context: { requestId, exported, error } }): TaskFact => ({
          type: "task.completed",
          requestId,
          result: { exported, error } satisfies ClosedWork,
        }),
      ),
    },
  },
});
