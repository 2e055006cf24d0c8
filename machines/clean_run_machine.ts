/**
 * Confirms results in a new environment: the drift of the one that is there, another in its place, and the whole suite again.
 *
 * A task of the session. An environment that cannot be asked for its drift is replaced all the same.
 */
import { assign, not, or, sendTo, setup, stateIn } from "xstate";
import type { DriftReport } from "./model/environment.ts";
import type { CleanRunResult } from "./model/session.ts";
import type { SuiteOptions } from "./model/suite_options.ts";
import type { TestRunResult } from "./model/test_result.ts";
import { parentRef } from "./parent_ref.ts";
import { operationStep, sessionStep } from "./task/session_step.ts";
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

export interface CleanRunInput extends TaskInput {
  readonly suite: SuiteOptions;
}

interface CleanRunContext extends TaskContext, CleanRunInput {
  drift: DriftReport | undefined;
  /** Reason why the drift is unknown. */
  driftError: unknown;
  run: TestRunResult | undefined;
}

export const cleanRunMachine = setup({
  types: {
    context: {} as CleanRunContext,
    input: {} as CleanRunInput,
    events: {} as TaskEvent,
  },
  actors: {
    compare: operationStep<"drift">(),
    replace: sessionStep<"session.replace_environment">(),
    run: sessionStep<"session.run_tests">(),
  },
  actions: taskActions<CleanRunContext>(),
  guards: {
    isUnderWay: not(or([stateIn("completed"), stateIn("failed")])),
    isCancelled: ({ context }) => context.cancelled,
  },
}).createMachine({
  id: "cleanRun",
  description: "Runs the suite in a new environment, to confirm results.",
  context: ({ input }) => ({
    ...beginTask(input),
    ...input,
    drift: undefined,
    driftError: undefined,
    run: undefined,
  }),
  initial: "comparing",
  on: taskTransitions,
  states: {
    /** The environment as it is, with what it was when it was provisioned. */
    comparing: {
      invoke: {
        id: stepId,
        src: "compare",
        input: ({ context: { cancelled } }) => ({
          request: { type: "session.perform", kind: "drift", args: {} },
          cancelled,
        }),
        onDone: { target: "replacing", actions: assign({ drift: ({ event }) => event.output }) },
        onError: [
          { guard: "isCancelled", target: "failed", actions: noteItsError },
          { target: "replacing", actions: assign({ driftError: ({ event }) => event.error }) },
        ],
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
        onDone: "running",
        onError: { target: "failed", actions: noteItsError },
      },
    },
    running: {
      invoke: {
        id: stepId,
        src: "run",
        input: ({ context: { caller, suite, cancelled } }) => ({
          request: { type: "session.run_tests", suite, caller },
          cancelled,
        }),
        onDone: { target: "completed", actions: assign({ run: ({ event }) => event.output }) },
        onError: { target: "failed", actions: noteItsError },
      },
    },
    completed: {
      type: "final",
      entry: sendTo(
        parentRef,
        ({ context: { requestId, drift, driftError, run } }): TaskFact => ({
          type: "task.completed",
          requestId,
          result: { drift, driftError, run: run! } satisfies CleanRunResult,
        }),
      ),
    },
    failed: { type: "final", entry: "tellFailed" },
  },
});
