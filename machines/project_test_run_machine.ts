/**
 * Runs a project's own tests: brings the project to its place, finds the framework, prepares, runs its commands one after the
 * other, names what crashed, and reports.
 *
 * A task. All that it starts has ended, and its folder is gone, before it tells its end: `clearing` follows whatever happened.
 * The limit holds for all commands that run tests together; what prepares them has one of its own.
 */
import { assign, raise, sendTo, setup } from "xstate";
import { cancelledError } from "./cancelled_error.ts";
import { hardLimitMs } from "./hard_limit_ms.ts";
import type {
  CaptureTestsInput,
  FrameworkChoice,
  PlannedTests,
  PlanTestsInput,
  ProjectTestAnswer,
  ProjectTestWork,
  ReportTestsInput,
  SeenByDetector,
  StuckRun,
  TestCommandEnd,
  TestCommandInput,
} from "./model/project_test_run.ts";
import type { StuckFact } from "./model/stuck.ts";
import { parentRef } from "./parent_ref.ts";
import {
  captureInput,
  commandInput,
  frameworkOf,
  type ProjectTestRunContext,
  type ProjectTestRunInput,
  reportInput,
} from "./project_tests/project_test_context.ts";
import { slot } from "./slot.ts";
import { stuckDetectorMachine } from "./stuck_detector_machine.ts";
import { beginTask, noteItsError, type TaskFact } from "./task/task.ts";

type ProjectTestRunEvent =
  | { type: "task.cancel" }
  /** The limit of all commands that run tests. */
  | { type: "project_tests.overdue" }
  /** The process of the command is there. `deadlineAt` is the end of the limit, in ms of the epoch. */
  | { type: "run.started"; pid: number; deadlineAt: number }
  /** Anything was printed. */
  | { type: "run.output" }
  | StuckFact;

/** Number of suspects of one crash that are run alone. */
const mostSuspects = 8;
const tooLong = (what: string) => ({
  type: "noteError",
  params: () => ({
    error: Object.assign(new Error(`Cannot ${what}: it took too long`), { name: "TimeoutError" }),
  }),
} as const);

const giveUp = { "task.cancel": { target: "#projectTestRun.clearing", actions: "noteCancel" } } as const;

export const projectTestRunMachine = setup({
  types: {
    context: {} as ProjectTestRunContext,
    input: {} as ProjectTestRunInput,
    events: {} as ProjectTestRunEvent,
  },
  actors: {
    /** Brings the project to the place where its tests run, with what it needs to be installed. */
    open: slot<void, ProjectTestWork>("project_tests.open"),
    detect: slot<FrameworkChoice, ProjectTestWork>("project_tests.detect"),
    /** Finds what is missing, and places the files of the plan. */
    plan: slot<PlannedTests, PlanTestsInput>("project_tests.plan"),
    /** Resolves to whether it did what it should; what it says is kept otherwise. */
    prepare: slot<boolean, TestCommandInput>("project_tests.prepare"),
    runTests: slot<TestCommandEnd, TestCommandInput>("project_tests.run"),
    detector: stuckDetectorMachine,
    /** Describes what runs at the moment, for a command that is about to be ended. */
    capture: slot<Omit<StuckRun, "reason">, CaptureTestsInput>("project_tests.capture"),
    /** Ends the command that runs, with all that it started. */
    endCommand: slot<void, ProjectTestWork>("project_tests.end_command"),
    report: slot<ProjectTestAnswer, ReportTestsInput>("project_tests.report"),
    /** Ends all that was started, and removes the folder of the run. */
    clear: slot<void, ProjectTestWork>("project_tests.clear"),
  },
  actions: {
    noteError: assign(({ context }, { error }: { error: unknown }) => ({ error: context.error ?? error })),
    noteCancel: assign(({ context: { error } }) => ({
      cancelled: true,
      error: error ?? cancelledError("the tests"),
    })),
    notePlan: assign((_, { plan }: { plan: PlannedTests }) => ({
      planned: { ...plan, ended: { preparation: 0, runs: 0 } },
    })),
    noteEnd: assign(({ context: { planned } }, { list }: { list: "preparation" | "runs" }) => {
      const { ended } = planned!;
      return { planned: { ...planned!, ended: { ...ended, [list]: ended[list] + 1 } } };
    }),
    /** A test that ended the process alone is known by that; commands of a suspect have no others. */
    noteSuspects: assign(({ context: { suspects } }, { end: { unfinished } }: { end: TestCommandEnd }) => ({
      suspects: suspects.current !== undefined || unfinished.length < 2
        ? suspects
        : { waiting: [...suspects.waiting, ...unfinished].slice(0, mostSuspects) },
    })),
    takeSuspect: assign(({ context: { suspects: { waiting: [current, ...waiting] } } }) => ({
      suspects: { current: current!, waiting },
    })),
    noteStuck: assign(({ context: { watch } }, { seen }: { seen: Omit<StuckRun, "reason"> }) => {
      const reason = watch.isOverdue ? "limit" as const : "stuck" as const;
      // Those taken last may have ended the process, as what gives more than the ones before.
      const stacks = seen.stacks?.threads.length ? seen.stacks : watch.seen.stacks ?? seen.stacks;
      const found = { ...seen, ...watch.seen, reason, ...(stacks === undefined ? {} : { stacks }) };
      return { watch: { ...watch, stuck: [...watch.stuck, found] } };
    }),
    noteSeen: assign((
      { context: { watch } },
      { seen }: { seen: SeenByDetector },
    ) => ({
      watch: { ...watch, seen },
    })),
    noteUnwatched: assign(({ context: { watch } }, { reason }: { reason: string }) => ({
      watch: { unwatched: reason, ...watch },
    })),
    noteOverdue: assign(({ context: { watch } }) => ({ watch: { ...watch, isOverdue: true } })),
  },
  guards: {
    isUnprepared: ({ context: { planned } }) => planned!.ended.preparation < planned!.preparation.length,
    hasCommand: ({ context: { planned, watch } }) =>
      !watch.isOverdue && planned!.ended.runs < planned!.runs.length,
    hasSuspect: ({ context: { suspects, watch } }) => !watch.isOverdue && suspects.waiting.length > 0,
    hasFramework: (_, { choice }: { choice: FrameworkChoice }) => choice.found.length > 0,
    /** A tracer stops threads itself. */
    isUntraced: ({ context: { run } }) => !run.tracePatterns?.length && !run.watches?.length,
    isPrepared: (_, { prepared }: { prepared: boolean }) => prepared,
    hasAnswer: ({ context: { answer, error } }) => answer !== undefined && error === undefined,
  },
  /** In ms. */
  delays: {
    looking: 60_000,
    preparation: 900_000,
    whole: ({ context: { run } }) => hardLimitMs(run),
    capturing: 20_000,
    ending: 15_000,
    reporting: 60_000,
    clearing: 30_000,
  },
}).createMachine({
  id: "projectTestRun",
  description: "A run of a project's own tests, as their framework runs them.",
  context: ({ input }) => ({
    ...beginTask(input),
    ...input,
    choice: undefined,
    planned: undefined,
    suspects: { waiting: [] },
    watch: { stuck: [], seen: {}, isOverdue: false },
    answer: undefined,
  }),
  initial: "opening",
  states: {
    opening: {
      invoke: {
        src: "open",
        input: ({ context: { requestId, run } }) => ({ requestId, run }),
        onDone: "detecting",
        onError: { target: "clearing", actions: noteItsError },
      },
      on: giveUp,
      after: { preparation: { target: "clearing", actions: tooLong("bring the project to its place") } },
    },
    detecting: {
      invoke: {
        src: "detect",
        input: ({ context: { requestId, run } }) => ({ requestId, run }),
        onDone: [
          {
            guard: { type: "hasFramework", params: ({ event }) => ({ choice: event.output }) },
            target: "planning",
            actions: assign({ choice: ({ event }) => event.output }),
          },
          { target: "reporting", actions: assign({ choice: ({ event }) => event.output }) },
        ],
        onError: { target: "clearing", actions: noteItsError },
      },
      on: giveUp,
      after: { looking: { target: "clearing", actions: tooLong("find the framework") } },
    },
    planning: {
      invoke: {
        src: "plan",
        input: ({ context }) => ({
          requestId: context.requestId,
          run: context.run,
          framework: frameworkOf(context),
        }),
        onDone: {
          target: "deciding",
          actions: { type: "notePlan", params: ({ event }) => ({ plan: event.output }) },
        },
        onError: { target: "clearing", actions: noteItsError },
      },
      on: giveUp,
      after: { looking: { target: "clearing", actions: tooLong("plan the tests") } },
    },
    deciding: { always: [{ guard: "isUnprepared", target: "preparing" }, { target: "testing" }] },
    preparing: {
      invoke: {
        src: "prepare",
        input: commandInput("preparation"),
        onDone: [
          {
            guard: { type: "isPrepared", params: ({ event }) => ({ prepared: event.output }) },
            target: "deciding",
            actions: { type: "noteEnd", params: { list: "preparation" } },
          },
          { target: "reporting" },
        ],
        onError: { target: "clearing", actions: noteItsError },
      },
      on: giveUp,
      after: { preparation: { target: "clearing", actions: tooLong("prepare the tests") } },
    },
    testing: {
      initial: "choosing",
      after: {
        whole: { actions: ["noteOverdue", raise({ type: "project_tests.overdue" })] },
      },
      on: giveUp,
      states: {
        choosing: {
          always: [
            { guard: "hasCommand", target: "running" },
            { guard: "hasSuspect", target: "planningSuspect" },
            { target: "#projectTestRun.reporting" },
          ],
        },
        running: {
          initial: "watching",
          entry: { type: "noteSeen", params: { seen: {} } },
          invoke: {
            src: "runTests",
            input: commandInput("runs"),
            onDone: {
              target: "choosing",
              actions: [
                { type: "noteEnd", params: { list: "runs" } },
                { type: "noteSuspects", params: ({ event }) => ({ end: event.output }) },
              ],
            },
            onError: { target: "#projectTestRun.clearing", actions: noteItsError },
          },
          states: {
            watching: {
              initial: "alone",
              on: { "project_tests.overdue": "capturing" },
              states: {
                alone: { on: { "run.started": { guard: "isUntraced", target: "watched" } } },
                watched: {
                  invoke: {
                    id: "detector",
                    src: "detector",
                    input: ({ context: { planned }, event }) => {
                      const { pid, deadlineAt } = event as Extract<
                        ProjectTestRunEvent,
                        { type: "run.started" }
                      >;
                      const { runner } = planned!;
                      return { pid, deadlineAt, ...(runner === undefined ? {} : { runner }) };
                    },
                    onDone: "alone",
                    onError: "alone",
                  },
                  on: {
                    "run.output": { actions: sendTo("detector", { type: "output" }) },
                    "stuck.certain": {
                      target: "#projectTestRun.testing.running.capturing",
                      actions: {
                        type: "noteSeen",
                        params: ({ event: { judgement, stacks, figures } }) => ({
                          seen: { judgement, stacks, ...(figures === undefined ? {} : { figures }) },
                        }),
                      },
                    },
                    "stuck.suspected": {
                      actions: {
                        type: "noteSeen",
                        params: ({ event: { judgement, stacks } }) => ({
                          seen: { judgement, ...(stacks === undefined ? {} : { stacks }) },
                        }),
                      },
                    },
                    "stuck.cleared": { actions: { type: "noteSeen", params: { seen: {} } } },
                    "stuck.not_watched": {
                      target: "alone",
                      actions: { type: "noteUnwatched", params: ({ event: { reason } }) => ({ reason }) },
                    },
                  },
                },
              },
            },
            /** The command still runs. */
            capturing: {
              invoke: {
                src: "capture",
                input: captureInput,
                onDone: {
                  target: "ending",
                  actions: { type: "noteStuck", params: ({ event }) => ({ seen: event.output }) },
                },
                onError: { target: "#projectTestRun.clearing", actions: noteItsError },
              },
              after: {
                capturing: {
                  target: "ending",
                  actions: { type: "noteStuck", params: { seen: { running: [], elapsedMs: 0 } } },
                },
              },
            },
            /** Left with the end of the command. */
            ending: {
              invoke: {
                src: "endCommand",
                input: ({ context: { requestId, run } }) => ({ requestId, run }),
                onError: { target: "#projectTestRun.clearing", actions: noteItsError },
              },
              after: { ending: "#projectTestRun.reporting" },
            },
          },
        },
        /** A suspect gets a plan of its own. Where the framework cannot run a single test, it stays a suspect. */
        planningSuspect: {
          entry: "takeSuspect",
          invoke: {
            src: "plan",
            input: ({ context }) => ({
              requestId: context.requestId,
              run: { ...context.run, test: context.suspects.current!.name },
              framework: frameworkOf(context),
            }),
            onDone: {
              target: "choosing",
              actions: { type: "notePlan", params: ({ event }) => ({ plan: event.output }) },
            },
            onError: "#projectTestRun.reporting",
          },
          on: { "project_tests.overdue": "#projectTestRun.reporting" },
        },
      },
    },
    reporting: {
      invoke: {
        src: "report",
        input: reportInput,
        onDone: { target: "clearing", actions: assign({ answer: ({ event }) => event.output }) },
        onError: { target: "clearing", actions: noteItsError },
      },
      on: giveUp,
      after: { reporting: { target: "clearing", actions: tooLong("report the tests") } },
    },
    clearing: {
      invoke: {
        src: "clear",
        input: ({ context: { requestId, run } }) => ({ requestId, run }),
        onDone: "ended",
        onError: { target: "ended", actions: noteItsError },
      },
      after: { clearing: { target: "ended", actions: tooLong("end what the tests started") } },
    },
    ended: { always: [{ guard: "hasAnswer", target: "completed" }, { target: "failed" }] },
    completed: {
      type: "final",
      entry: sendTo(
        parentRef,
        ({ context: { requestId, answer } }): TaskFact => ({
          type: "task.completed",
          requestId,
          result: answer!,
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
