/** Shared parts of task machines: a task is a request to the session that takes several steps, each a state. */
import { type AnyActorRef, assign, sendTo } from "xstate";
import { cancelledError } from "../cancelled_error.ts";
import { parentRef } from "../parent_ref.ts";

export interface TaskInput {
  requestId: string;
  /** Id of the outside's request at whose root it is. */
  caller: string;
}

/** Events of a task. */
export type TaskEvent = { type: "task.cancel" };

/** Facts for the session. */
export type TaskFact =
  | { type: "task.completed"; requestId: string; result: unknown }
  | { type: "task.failed"; requestId: string; error: unknown };

export interface TaskContext extends TaskInput {
  /** Steps that have not begun begin no more. */
  cancelled: boolean;
  error: unknown;
}

/** Id of the actor that a state of a task waits for. */
export const stepId = "step";

export const beginTask = ({ requestId, caller }: TaskInput): TaskContext => ({
  requestId,
  caller,
  cancelled: false,
  error: undefined,
});

/** Makes the actions that each task has; `Context` is its own. */
export const taskActions = <Context extends TaskContext>() => ({
  noteError: assign<Context, TaskEvent, { error: unknown }, TaskEvent, never>(
    (_, { error }) => ({ error }) as Partial<Context>,
  ),
  noteCancel: assign<Context, TaskEvent, undefined, TaskEvent, never>(
    () => ({ cancelled: true }) as Partial<Context>,
  ),
  cancelStep: sendTo<Context, TaskEvent, undefined, AnyActorRef, TaskEvent, never>(stepId, {
    type: "task.cancel",
  }),
  tellFailed: sendTo<Context, TaskEvent, undefined, AnyActorRef, TaskEvent, never>(
    parentRef,
    ({ context: { requestId, error } }: { context: Context }): TaskFact => ({
      type: "task.failed",
      requestId,
      error,
    }),
  ),
});

/** Transitions of a task in all of its states: a cancel goes to the step that is under way. */
export const taskTransitions = {
  "task.cancel": { guard: "isUnderWay", actions: ["noteCancel", "cancelStep"] },
} as const;

/** Keeps the error of a step that failed. */
export const noteItsError = {
  type: "noteError",
  params: ({ event }: { event: { error: unknown } }) => ({ error: event.error }),
} as const;

/** The error that a step ended with, or that it was cancelled before it began. */
export const taskCancelled = (): { error: unknown } => ({ error: cancelledError("the request") });
