/**
 * One test in flight: lease, setup, act, verify, judge, teardown (PTH design §5.3, §6).
 *
 * Started by the suite, one actor for each test that runs right now. The clock starts when a server is leased, so that
 * waiting for one is nobody's timeout. It fails only its own test: the server instance is given back to be replaced.
 */
import { type AnyActorRef, assign, sendTo, setup } from "xstate";
import type { CallEvent } from "./connection_machine.ts";
import type { CommandObservation, Observation, PlannedTest, RunRules } from "./model/observation.ts";
import type { CallOutcome } from "./model/plugin.ts";
import type { Verdict } from "./model/test_result.ts";
import type { LeaseFact } from "./pool_machine.ts";
import { parentOf } from "./parent_of.ts";
import { slot } from "./slot.ts";

export interface TestInput {
  planned: PlannedTest;
  rules: RunRules;
  /** Who grants leases. */
  plugin: AnyActorRef;
  /** The control call's answer, where an earlier test has it already. */
  control: CallOutcome | undefined;
}

export type TestEvent = LeaseFact | CallEvent;

/** What the suite hears. */
export type TestFact =
  | { type: "test.started"; testId: string; connectionId: string; pid: number | undefined }
  | {
    type: "test.finished";
    testId: string;
    verdict: Verdict;
    observation: Observation;
    connectionId: string | undefined;
    pid: number | undefined;
  };

export interface JudgeInput {
  planned: PlannedTest;
  rules: RunRules;
  observation: Observation;
  connectionId: string | undefined;
}

interface TestContext extends TestInput {
  connection: AnyActorRef | undefined;
  connectionId: string | undefined;
  pid: number | undefined;
  observation: Observation;
  progress: number;
  damaged: boolean;
  /** Limits that went by without a sign of life. */
  limits: number;
  verdict: Verdict | undefined;
}

/** How far signs of life may stretch a limit. */
const stretch = 6;
/** How long a server that let a test time out has to answer a ping. */
export const pingTimeoutMs = 2000;

const tellSuite = (fact: TestFact) => fact;
const silence = ({ planned, limits, progress }: TestContext, answersPing: boolean) => ({
  afterMs: planned.timeoutMs * limits,
  answersPing,
  progress,
});
const callId = (context: TestContext, part: "control" | "call") => `${context.planned.test.id}:${part}`;

export const testMachine = setup({
  types: {
    context: {} as TestContext,
    input: {} as TestInput,
    events: {} as TestEvent,
  },
  actors: {
    /** Runs a check of the server as a whole, with an instance of its own. */
    check: slot<Verdict, { planned: PlannedTest; rules: RunRules }>("test.check"),
    /** Throws a text for people where a setup step fails. */
    prepare: slot<void, { planned: PlannedTest }>("test.prepare"),
    verify: slot<CommandObservation[], { planned: PlannedTest }>("test.verify"),
    ping: slot<boolean, { connectionId: string; timeoutMs: number }>("test.ping"),
    judge: slot<Verdict, JudgeInput>("test.judge"),
    /** Resolves to what went wrong, if anything. */
    cleanUp: slot<string | undefined, { planned: PlannedTest }>("test.clean_up"),
  },
  actions: {
    requestLease: sendTo(({ context }) => context.plugin, ({ context, self }) => ({
      type: "lease.requested",
      leaseId: context.planned.test.id,
      holder: self,
    })),
    releaseLease: sendTo(({ context }) => context.plugin, ({ context }) => ({
      type: "lease.released",
      leaseId: context.planned.test.id,
      restart: context.damaged || context.rules.isolation === "per_test",
    })),
    countProgress: assign({ progress: ({ context }) => context.progress + 1 }),
    observe: assign({
      observation: ({ context }, seen: Partial<Observation>) => ({ ...context.observation, ...seen }),
    }),
    cancelCall: sendTo(({ context }) => context.connection!, { type: "connection.cancel_call" }),
  },
  guards: {
    isSkipped: ({ context }) => context.planned.skip !== undefined,
    isCheck: ({ context }) => context.planned.test.check !== undefined,
    noSetup: ({ context }) => context.planned.test.setup.length === 0,
    needsControl: ({ context }) =>
      context.planned.test.control !== undefined && context.control === undefined,
    controlRefused: ({ context }) => context.control?.isError === true,
    noVerify: ({ context }) => context.planned.test.verify.length === 0,
    noTeardown: ({ context }) => context.planned.test.teardown.length === 0,
    isExtendable: ({ context }) => context.planned.extendable,
  },
  delays: {
    limit: ({ context }) => context.planned.timeoutMs,
    ceiling: ({ context }) => context.planned.timeoutMs * stretch,
  },
}).createMachine({
  id: "test",
  context: ({ input }) => ({
    ...input,
    connection: undefined,
    connectionId: undefined,
    pid: undefined,
    observation: { commands: [], ...(input.control && { control: input.control }) },
    progress: 0,
    damaged: false,
    limits: 1,
    verdict: undefined,
  }),
  initial: "deciding",
  states: {
    deciding: {
      always: [
        {
          guard: "isSkipped",
          target: "finished",
          actions: assign({
            verdict: ({ context }) => ({ status: "skipped", note: context.planned.skip!, findings: [] }),
          }),
        },
        { guard: "isCheck", target: "checking" },
        { target: "leasing" },
      ],
    },
    checking: {
      entry: sendTo(parentOf, ({ context }) =>
        tellSuite({
          type: "test.started",
          testId: context.planned.test.id,
          connectionId: "own instance",
          pid: undefined,
        })),
      invoke: {
        src: "check",
        input: ({ context }) => ({ planned: context.planned, rules: context.rules }),
        onDone: { target: "finished", actions: assign({ verdict: ({ event }) => event.output }) },
        onError: {
          target: "judging",
          actions: { type: "observe", params: ({ event }) => ({ callError: event.error }) },
        },
      },
    },
    leasing: {
      entry: "requestLease",
      on: {
        "lease.granted": {
          target: "running",
          actions: [
            assign({
              connection: ({ event }) => event.connection,
              connectionId: ({ event }) => event.connectionId,
              pid: ({ event }) => event.pid,
            }),
            sendTo(parentOf, ({ context, event }) =>
              tellSuite({
                type: "test.started",
                testId: context.planned.test.id,
                connectionId: event.connectionId,
                pid: event.pid,
              })),
          ],
        },
        "lease.refused": {
          target: "judging",
          actions: { type: "observe", params: ({ event }) => ({ callError: event.error }) },
        },
      },
    },
    running: {
      type: "parallel",
      on: {
        "connection.lost": {
          target: "judging",
          actions: [
            assign({ damaged: true }),
            { type: "observe", params: ({ event }) => ({ loss: event.loss }) },
          ],
        },
      },
      states: {
        clock: {
          initial: "ticking",
          after: { ceiling: "#test.timingOut" },
          states: {
            ticking: {
              after: {
                limit: [{ guard: "isExtendable", target: "checkingLife" }, { target: "#test.timingOut" }],
              },
              on: {
                "call.progressed": [
                  { guard: "isExtendable", target: "ticking", reenter: true, actions: "countProgress" },
                  { actions: "countProgress" },
                ],
              },
            },
            /** A slow tool may show nothing until it is done: a server that lives gets as long again. */
            checkingLife: {
              invoke: {
                src: "ping",
                input: ({ context }) => ({ connectionId: context.connectionId!, timeoutMs: pingTimeoutMs }),
                onDone: [
                  { guard: ({ event }) => event.output, target: "lastWait" },
                  { target: "#test.timingOut" },
                ],
                onError: "#test.timingOut",
              },
            },
            lastWait: {
              entry: assign({ limits: 2 }),
              after: { limit: "#test.timingOut" },
              on: {
                "call.progressed": { target: "ticking", actions: "countProgress" },
              },
            },
          },
        },
        work: {
          initial: "preparing",
          states: {
            preparing: {
              always: { guard: "noSetup", target: "controlling" },
              invoke: {
                src: "prepare",
                input: ({ context }) => ({ planned: context.planned }),
                onDone: "controlling",
                onError: {
                  target: "#test.judging",
                  actions: {
                    type: "observe",
                    params: ({ event }) => ({
                      setupFailure: event.error instanceof Error ? event.error.message : String(event.error),
                    }),
                  },
                },
              },
            },
            /** A tool that refuses its control call makes a negative test inconclusive: it need not be called again. */
            controlling: {
              always: [
                { guard: "needsControl", target: "callingControl" },
                { guard: "controlRefused", target: "#test.judging" },
                { target: "acting" },
              ],
            },
            callingControl: {
              entry: sendTo(({ context }) => context.connection!, ({ context, self }) => ({
                type: "connection.call",
                callId: callId(context, "control"),
                tool: context.planned.test.tool!,
                input: context.planned.test.control!.input,
                caller: self,
              })),
              on: {
                "call.completed": {
                  target: "controlling",
                  actions: [
                    assign({ control: ({ event }) => event.outcome }),
                    { type: "observe", params: ({ event }) => ({ control: event.outcome }) },
                  ],
                },
                "call.failed": "#test.judging",
              },
            },
            acting: {
              entry: sendTo(({ context }) => context.connection!, ({ context, self }) => ({
                type: "connection.call",
                callId: callId(context, "call"),
                tool: context.planned.test.tool!,
                input: context.planned.test.input ?? {},
                caller: self,
              })),
              on: {
                "call.completed": {
                  target: "verifying",
                  actions: { type: "observe", params: ({ event }) => ({ outcome: event.outcome }) },
                },
                "call.failed": {
                  target: "#test.judging",
                  actions: [
                    assign({ damaged: true }),
                    { type: "observe", params: ({ event }) => ({ callError: event.error }) },
                  ],
                },
              },
            },
            verifying: {
              always: { guard: "noVerify", target: "#test.judging" },
              invoke: {
                src: "verify",
                input: ({ context }) => ({ planned: context.planned }),
                onDone: {
                  target: "#test.judging",
                  actions: { type: "observe", params: ({ event }) => ({ commands: event.output }) },
                },
                onError: {
                  target: "#test.judging",
                  actions: { type: "observe", params: ({ event }) => ({ callError: event.error }) },
                },
              },
            },
          },
        },
      },
    },
    timingOut: {
      entry: ["cancelCall", assign({ damaged: true })],
      invoke: {
        src: "ping",
        input: ({ context }) => ({ connectionId: context.connectionId!, timeoutMs: pingTimeoutMs }),
        onDone: {
          target: "judging",
          actions: {
            type: "observe",
            params: ({ context, event }) => ({ timedOut: silence(context, event.output) }),
          },
        },
        onError: {
          target: "judging",
          actions: { type: "observe", params: ({ context }) => ({ timedOut: silence(context, false) }) },
        },
      },
    },
    judging: {
      invoke: {
        src: "judge",
        input: ({ context: { planned, rules, observation, connectionId } }) => ({
          planned,
          rules,
          observation,
          connectionId,
        }),
        onDone: { target: "cleaningUp", actions: assign({ verdict: ({ event }) => event.output }) },
        onError: {
          target: "cleaningUp",
          actions: assign({
            verdict: ({ event }) => ({
              status: "failed",
              category: "protocol-error",
              message: `Cannot judge test: ${
                event.error instanceof Error ? event.error.message : String(event.error)
              }`,
              findings: [],
            }),
          }),
        },
      },
    },
    cleaningUp: {
      always: { guard: "noTeardown", target: "finished" },
      invoke: {
        src: "cleanUp",
        input: ({ context }) => ({ planned: context.planned }),
        onDone: {
          target: "finished",
          actions: assign({
            verdict: ({ context, event }) =>
              event.output === undefined ? context.verdict : {
                ...context.verdict!,
                note: [context.verdict!.note, event.output].filter(Boolean).join("; "),
              },
          }),
        },
        onError: "finished",
      },
    },
    finished: {
      type: "final",
      entry: [
        "releaseLease",
        sendTo(parentOf, ({ context }) =>
          tellSuite({
            type: "test.finished",
            testId: context.planned.test.id,
            verdict: context.verdict!,
            observation: context.observation,
            connectionId: context.connectionId,
            pid: context.pid,
          })),
      ],
    },
  },
});
