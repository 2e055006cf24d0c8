/** Shared parts of task machines: a task is a request to the session that takes several steps, each a state. */
import { cancelledError } from "../cancelled_error.ts";

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

export const taskFailed = ({ requestId, error }: TaskContext): TaskFact => ({
  type: "task.failed",
  requestId,
  error,
});

/** The error that a step ended with, or that it was cancelled before it began. */
export const taskCancelled = (): { error: unknown } => ({ error: cancelledError("the request") });
