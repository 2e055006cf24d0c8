/** Types, slots, actions, guards and limits of the test machine. */
import { type AnyActorRef, assign, enqueueActions, sendTo, setup, stopChild } from "xstate";
import type { CallEvent } from "../connection_machine.ts";
import { calmMs, type HangFact, hangInspectionMachine } from "../hang_inspection_machine.ts";
import type {
  CommandObservation,
  Observation,
  PlannedTest,
  RunRules,
  StepObservation,
  StepResult,
} from "../model/observation.ts";
import type { CallOutcome } from "../model/plugin.ts";
import type { HangInspection } from "../model/stuck.ts";
import { messageOf } from "../message_of.ts";
import type { LeaseFact } from "../pool/pool_events.ts";
import type { PoolRef } from "../plugin_machine.ts";
import { slot } from "../slot.ts";
import type { Spending } from "../model/budget.ts";
import type { Verdict } from "../model/verdict.ts";

export interface TestInput {
  readonly planned: PlannedTest;
  readonly rules: RunRules;
  /** Pool that grants leases. */
  readonly pool: PoolRef;
  /** The control call's answer, where an earlier test has it already. */
  control: CallOutcome | undefined;
  /** Tools that took long in earlier tests; absent counts as none. */
  readonly slowTools?: readonly string[];
  /** Instances besides the one of the test are ended first; default false. */
  readonly alone?: boolean;
}

/** `test.cancel`: it ends without a verdict of its own, with its teardown. */
export type TestEvent =
  | LeaseFact
  | CallEvent
  | HangFact
  | { type: "pool.vacated" }
  /** The check calls no tool any more, and only its own server is waited for. */
  | { type: "check.ending" }
  | { type: "test.cancel" };

/** Facts for the suite. */
export type TestFact =
  | { type: "test.started"; testId: string; connectionId: string; pid: number | undefined }
  /** A test takes long, or only waits: others need not wait for it. */
  | { type: "test.slow"; testId: string }
  | {
    type: "test.finished";
    testId: string;
    verdict: Verdict;
    observation: Observation;
    connectionId: string | undefined;
    pid: number | undefined;
    /** Cost of a real model. */
    spent?: Spending;
  };

export interface CheckInput {
  planned: PlannedTest;
  rules: RunRules;
  slowTools: readonly string[];
}

export interface JudgeInput {
  planned: PlannedTest;
  rules: RunRules;
  observation: Observation;
  connectionId: string | undefined;
}

export interface JudgeStepInput {
  planned: PlannedTest;
  rules: RunRules;
  /** Counts from 0. */
  index: number;
  seen: StepResult;
  commands: CommandObservation[];
}

interface TestContext extends TestInput {
  connection: AnyActorRef | undefined;
  connectionId: string | undefined;
  pid: number | undefined;
  observation: Observation;
  prepared: boolean;
  progress: number;
  damaged: boolean;
  /** True if the result is not needed; what the test made is removed nevertheless. */
  cancelled: boolean;
  wait: WaitForAnswer;
  verdict: Verdict | undefined;
  step: StepUnderWay;
}

export interface CaptureStacksInput {
  inspection: HangInspection | undefined;
}

interface WaitForAnswer {
  /** Limits that a call may go without a sign of life: the first, and those of the last wait. */
  limits: number;
  /** Latest inspection of a server that owes an answer. */
  inspection?: HangInspection;
}

interface StepUnderWay {
  /** Counts from 0. */
  index: number;
  /** Captured by the steps before it. */
  variables: Record<string, unknown>;
  /** Result of its action so far, and of its `verify` commands. */
  seen: StepResult | undefined;
  commands: CommandObservation[];
}

/** Factor by which signs of life may extend a limit. */
const stretch = 6;
/** Limits of a call whose server lives: some answer after half a minute on purpose, where nothing has happened till then. */
const limitsOfLiving = 4;
/** Time in ms that a server has to answer a ping after a test timed out. */
export const pingTimeoutMs = 2000;

/** Time in ms within which a server that lives mostly answers a ping; one that does not is inspected. */
const firstPingMs = 300;

/** Note of a test that was cancelled before it had a verdict. */
export const cancelledNote = "cancelled while it ran";

export const sendToSuite = (fact: TestFact) => fact;
export const callTimeout = (
  { planned, wait: { limits, inspection }, progress }: TestContext,
  answersPing: boolean,
): NonNullable<Observation["timedOut"]> => ({
  afterMs: planned.timeoutMs * limits,
  answersPing,
  progress,
  ...(inspection === undefined ? {} : { inspection }),
});
/** Time in ms that the limit under way is, of which a test has one or, on a server that lives, two. */
export const limitMs = ({ context: { planned, wait: { limits } } }: { context: TestContext }) =>
  planned.timeoutMs * Math.max(1, limits - 1);
/** Verdict if judging itself failed. */
export const judgementFailed = (error: unknown): Verdict => ({
  status: "failed",
  category: "protocol-error",
  message: `Cannot judge test: ${messageOf(error)}`,
  findings: [],
});
/** Adds a note on what came after the verdict; it does not change the verdict. */
export const withNote = (verdict: Verdict, note: string | undefined): Verdict =>
  note === undefined ? verdict : { ...verdict, note: [verdict.note, note].filter(Boolean).join("; ") };
interface Planned {
  context: { planned: PlannedTest; cancelled?: boolean };
}
/** Limit in ms on judging observations. */
export const judgeLimitMs = 60_000;
/** Limit in ms on each step of ending other instances; a test that is to be alone runs then in any case. */
export const vacatingMs = 15_000;
/** Least time in ms for teardown, and all of it where the end of a cancelled test is waited for. */
export const leastTeardownMs = 30_000;
/** Milliseconds: a test's limit says how long its calls may take, and cleaning up gets more time than a short one. */
export const teardownMs = ({ context: { planned, cancelled } }: Planned): number =>
  cancelled ? leastTeardownMs : Math.max(planned.timeoutMs, leastTeardownMs);
export const teardownTimedOut = ({ context }: Planned) => ({
  note: `teardown failed: it took more than ${teardownMs({ context }) / 1000} s and was ended`,
});
export const callId = (context: TestContext, part: "control" | "call" | `step-${number}`) =>
  `${context.planned.test.id}:${part}`;
/** The step under way. */
export const stepOf = ({ planned, step }: TestContext) => planned.test.steps![step.index]!;
/** Roots of the client in a test: those of the first step that names some. */
const rootsOf = ({ planned }: TestContext) =>
  planned.test.steps!.find(({ replies }) => replies?.roots !== undefined)?.replies?.roots ?? [];

export const testSetup = setup({
  types: {
    context: {} as TestContext,
    input: {} as TestInput,
    events: {} as TestEvent,
  },
  actors: {
    /** Runs a check of the server as a whole, with an instance of its own. */
    check: slot<Verdict, CheckInput>("test.check"),
    /** Ends the instances that checks left for each other. */
    endRetained: slot<void, Record<never, never>>("test.end_retained"),
    /** Throws a text for people where a setup step fails. */
    prepare: slot<void, { planned: PlannedTest }>("test.prepare"),
    /** The test's `verify` commands, or those of a step. */
    verify: slot<CommandObservation[], { planned: PlannedTest; step?: number }>("test.verify"),
    inspect: hangInspectionMachine,
    /** Resolves to the inspection with frames of a server that is about to be ended; absent: none was made. */
    captureStacks: slot<HangInspection | undefined, CaptureStacksInput>("test.capture_stacks"),
    judgeStep: slot<StepObservation, JudgeStepInput>("test.judge_step"),
    ping: slot<boolean, { connectionId: string; timeoutMs: number }>("test.ping"),
    judge: slot<Verdict, JudgeInput>("test.judge"),
    /** Resolves to what went wrong, if anything. */
    cleanUp: slot<string | undefined, { planned: PlannedTest }>("test.clean_up"),
  },
  actions: {
    requestLease: sendTo(({ context }) => context.pool, ({ context, self }) => ({
      type: "lease.requested",
      leaseId: context.planned.test.id,
      holder: self,
      ...(context.planned.abilities === undefined ? {} : { abilities: context.planned.abilities }),
      ...(context.planned.group === undefined ? {} : { group: context.planned.group }),
    })),
    vacatePool: sendTo(({ context }) => context.pool, ({ self }) => ({ type: "pool.vacate", asker: self })),
    performStep: sendTo(({ context }) => context.connection!, ({ context, self }) => ({
      type: "connection.perform",
      callId: callId(context, `step-${context.step.index + 1}`),
      step: stepOf(context),
      variables: context.step.variables,
      ...(context.step.index === 0 ? { begins: { roots: rootsOf(context) } } : {}),
      caller: self,
    })),
    /** A step is over: what it showed is kept, what it captured is there for the next. */
    closeStep: assign(({ context }, step: StepObservation) => ({
      observation: { ...context.observation, steps: [...context.observation.steps ?? [], step] },
      step: {
        index: context.step.index + 1,
        variables: { ...context.step.variables, ...step.captured },
        seen: undefined,
        commands: [],
      },
      // One that hangs since a call was cancelled is of no use to others.
      damaged: context.damaged || step.cancelled?.alive === false,
    })),
    releaseLease: sendTo(({ context }) => context.pool, ({ context }) => ({
      type: "lease.released",
      leaseId: context.planned.test.id,
      restart: context.damaged || context.rules.isolation === "per_test",
    })),
    noteResult: assign({ step: ({ context }, seen: StepResult) => ({ ...context.step, seen }) }),
    noteCommands: assign({
      step: ({ context }, { commands }: { commands: CommandObservation[] }) => ({
        ...context.step,
        commands,
      }),
    }),
    noteCancelled: assign({
      cancelled: true,
      damaged: true,
      verdict: { status: "skipped", note: cancelledNote, findings: [] },
    }),
    addNote: assign({
      verdict: ({ context }, { note }: { note: string | undefined }) => withNote(context.verdict!, note),
    }),
    countProgress: assign({ progress: ({ context }) => context.progress + 1 }),
    noteHang: assign({
      wait: ({ context: { wait } }, { inspection }: { inspection: HangInspection }) => ({
        ...wait,
        inspection,
      }),
    }),
    beginLastWait: assign({ wait: { limits: limitsOfLiving } }),
    endInspection: stopChild("inspection"),
    /** The server was waited for, and goes on. */
    forgetHang: enqueueActions(({ enqueue, context: { wait: { limits } } }) => {
      enqueue.stopChild("inspection");
      enqueue.assign({ wait: { limits } });
    }),
    observe: assign({
      observation: ({ context }, seen: Partial<Observation>) => ({ ...context.observation, ...seen }),
    }),
    cancelCall: sendTo(({ context }) => context.connection!, { type: "connection.cancel_call" }),
  },
  guards: {
    isSkipped: ({ context }) => context.planned.skip !== undefined,
    isAlone: ({ context }) => context.alone === true,
    isCheck: ({ context }) => context.planned.test.check !== undefined,
    needsSetup: ({ context }) => !context.prepared && context.planned.test.setup.length > 0,
    needsControl: ({ context }) =>
      context.planned.test.control !== undefined && context.control === undefined,
    hasSteps: ({ context }) => context.planned.test.steps !== undefined,
    stepHasVerify: ({ context }) => stepOf(context).verify.length > 0,
    hasNextStep: ({ context }) => context.step.index < context.planned.test.steps!.length,
    stepFailed: ({ context }) => context.observation.steps?.at(-1)?.verdict.status !== "passed",
    hasVerify: ({ context }) => context.planned.test.verify.length > 0,
    hasTeardown: ({ context }) => context.planned.test.teardown.length > 0,
    isExtendable: ({ context }) => context.planned.extendable,
    isFixed: ({ context }) => !context.planned.extendable,
  },
  delays: {
    limit: limitMs,
    calm: ({ context }) => calmMs(limitMs({ context })),
    pinging: firstPingMs,
    judging: judgeLimitMs,
    vacating: vacatingMs,
    teardown: teardownMs,
    ceiling: ({ context }) => context.planned.timeoutMs * stretch,
  },
});
