/**
 * Runs tests of the session: chosen, run as one suite, collected; measured where that is asked for. The plugin's own tests
 * follow the suite, where they are planned and nothing has ended it early.
 *
 * A task of the session. Coverage needs a server that was started for it: one that was not is reloaded first.
 */
import { assign, not, or, sendTo, setup, stateIn } from "xstate";
import type { OwnTestsEnd, ProjectTestAnswer, ProjectTestRun } from "./model/project_test_run.ts";
import type { SuiteOptions } from "./model/suite_options.ts";
import type { TestRunResult } from "./model/test_result.ts";
import { parentRef } from "./parent_ref.ts";
import type { UnsentRequests } from "./session/session_requests.ts";
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

export interface TestRunInput extends TaskInput {
  readonly suite: SuiteOptions;
}

/** Parts of a run. */
export interface PlannedTestRun {
  suite: UnsentRequests["session.run_suite"];
  /** Runs of the plugin's own tests, where they run, too: one for each framework. */
  own?: ProjectTestRun[];
}

export interface CollectTestsInput {
  /** Reason why the suite ended. */
  reason: string;
  /** Ends of the runs of own tests, as far as they began. */
  own: OwnTestsEnd[];
}

interface TestRunContext extends TaskContext, TestRunInput {
  planned: PlannedTestRun | undefined;
  ended: CollectTestsInput;
  result: TestRunResult | undefined;
}

const noteOwnAnswer = {
  type: "noteOwnEnd",
  params: ({ event }: { event: { output: ProjectTestAnswer } }) => ({ answer: event.output }),
} as const;
const noteOwnError = {
  type: "noteOwnEnd",
  params: ({ event: { error } }: { event: { error: unknown } }) => ({ error }),
} as const;

export const testRunMachine = setup({
  types: {
    context: {} as TestRunContext,
    input: {} as TestRunInput,
    events: {} as TaskEvent,
  },
  actors: {
    /** Resolves to whether the server that runs has to be started again to be measured. */
    instrument: slot<boolean, { suite: SuiteOptions }>("test_run.instrument"),
    reload: sessionStep<"session.reload_plugin">(),
    /** Leaves what ran until now to no test. */
    measure: slot<void, void>("test_run.measure"),
    /** Chooses the tests, and follows their suite from its start on. */
    plan: slot<PlannedTestRun, { suite: SuiteOptions }>("test_run.plan"),
    runSuite: sessionStep<"session.run_suite">(),
    runOwnTests: sessionStep<"session.run_project_tests">(),
    collect: slot<TestRunResult, CollectTestsInput>("test_run.collect"),
    /** Reads what was measured while source and server are still the same. */
    readCoverage: slot<void, TestRunResult>("test_run.read_coverage"),
    /** Forgets a run that did not come to results. */
    abandon: slot<void, { error: unknown }>("test_run.abandon"),
  },
  actions: {
    ...taskActions<TestRunContext>(),
    noteSuiteEnd: assign(({ context: { ended } }, { reason }: { reason: string }) => ({
      ended: { ...ended, reason },
    })),
    noteOwnEnd: assign(({ context: { ended } }, end: OwnTestsEnd) => ({
      ended: { ...ended, own: [...ended.own, end] },
    })),
  },
  guards: {
    isUnderWay: not(or([stateIn("completed"), stateIn("failed")])),
    isMeasured: ({ context }) => context.suite.coverage === true,
    /** A suite that was cancelled, or has failed often enough, is the end of the run. */
    hasOwnTests: ({ context: { planned } }, { reason }: { reason: string }) =>
      planned?.own !== undefined && planned.own.length > 0 && reason === "complete",
    /** The run that ends now is not the last one. */
    hasMoreOwnTests: ({ context: { planned, ended, cancelled } }) =>
      !cancelled && ended.own.length + 1 < planned!.own!.length,
  },
}).createMachine({
  id: "testRun",
  description: "Runs tests of the session: chosen, run as one suite, collected, measured.",
  context: ({ input }) => ({
    ...beginTask(input),
    ...input,
    planned: undefined,
    ended: { reason: "", own: [] },
    result: undefined,
  }),
  initial: "deciding",
  on: taskTransitions,
  states: {
    deciding: { always: [{ guard: "isMeasured", target: "instrumenting" }, { target: "planning" }] },
    instrumenting: {
      invoke: {
        id: stepId,
        src: "instrument",
        input: ({ context: { suite } }) => ({ suite }),
        onDone: [{ guard: ({ event }) => event.output, target: "reloading" }, { target: "measuring" }],
        onError: { target: "failed", actions: noteItsError },
      },
    },
    reloading: {
      invoke: {
        id: stepId,
        src: "reload",
        input: ({ context: { caller, cancelled } }) => ({
          request: { type: "session.reload_plugin", coverage: true, caller },
          cancelled,
        }),
        onDone: "measuring",
        onError: { target: "failed", actions: noteItsError },
      },
    },
    measuring: {
      invoke: {
        id: stepId,
        src: "measure",
        onDone: "planning",
        onError: { target: "failed", actions: noteItsError },
      },
    },
    planning: {
      invoke: {
        id: stepId,
        src: "plan",
        input: ({ context: { suite } }) => ({ suite }),
        onDone: { target: "running", actions: assign({ planned: ({ event }) => event.output }) },
        onError: { target: "abandoning", actions: noteItsError },
      },
    },
    running: {
      invoke: {
        id: stepId,
        src: "runSuite",
        input: ({ context: { planned, cancelled } }) => ({ request: planned!.suite, cancelled }),
        onDone: [
          {
            guard: { type: "hasOwnTests", params: ({ event }) => event.output },
            target: "testingOwn",
            actions: { type: "noteSuiteEnd", params: ({ event }) => event.output },
          },
          {
            target: "collecting",
            actions: { type: "noteSuiteEnd", params: ({ event }) => event.output },
          },
        ],
        onError: { target: "abandoning", actions: noteItsError },
      },
    },
    /** Results of the suite are kept, whatever becomes of the own tests: `collect` tells what they came to. */
    testingOwn: {
      invoke: {
        id: stepId,
        src: "runOwnTests",
        input: ({ context: { planned, ended, caller, cancelled } }) => ({
          request: { type: "session.run_project_tests", run: planned!.own![ended.own.length]!, caller },
          cancelled,
        }),
        onDone: [
          { guard: "hasMoreOwnTests", target: "testingOwn", reenter: true, actions: noteOwnAnswer },
          { target: "collecting", actions: noteOwnAnswer },
        ],
        onError: [
          { guard: "hasMoreOwnTests", target: "testingOwn", reenter: true, actions: noteOwnError },
          { target: "collecting", actions: noteOwnError },
        ],
      },
    },
    collecting: {
      invoke: {
        id: stepId,
        src: "collect",
        input: ({ context: { ended } }) => ended,
        onDone: [
          {
            guard: "isMeasured",
            target: "readingCoverage",
            actions: assign({ result: ({ event }) => event.output }),
          },
          { target: "completed", actions: assign({ result: ({ event }) => event.output }) },
        ],
        onError: { target: "abandoning", actions: noteItsError },
      },
    },
    readingCoverage: {
      invoke: {
        id: stepId,
        src: "readCoverage",
        input: ({ context: { result } }) => result!,
        onDone: "completed",
        onError: { target: "abandoning", actions: noteItsError },
      },
    },
    abandoning: {
      invoke: {
        id: stepId,
        src: "abandon",
        input: ({ context: { error } }) => ({ error }),
        onDone: "failed",
        // Why there are no results is what counts.
        onError: "failed",
      },
    },
    completed: {
      type: "final",
      entry: sendTo(
        parentRef,
        ({ context: { requestId, result } }): TaskFact => ({ type: "task.completed", requestId, result }),
      ),
    },
    failed: { type: "final", entry: "tellFailed" },
  },
});
