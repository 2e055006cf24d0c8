/**
 * One test in flight: lease, setup, act, verify, judge, teardown.
 *
 * Started by the suite, one actor for each test that runs right now. The clock starts when a server is leased, so that
 * waiting for one is nobody's timeout. It fails only its own test: the server instance is given back to be replaced.
 */
import { assign, sendTo } from "xstate";
import { inspectionMs } from "./hang_inspection_machine.ts";
import { messageOf } from "./message_of.ts";
import { parentRef } from "./parent_ref.ts";
import { cancelled, inspectWithin, noteInspection, timingOutState } from "./test/hanging_server.ts";
import { steppingState } from "./test/stepping_state.ts";
import {
  callId,
  judgeLimitMs,
  judgementFailed,
  pingTimeoutMs,
  sendToSuite,
  teardownTimedOut,
  testSetup,
} from "./test/test_setup.ts";

export type {
  CheckInput,
  JudgeInput,
  JudgeStepInput,
  TestEvent,
  TestFact,
  TestInput,
} from "./test/test_setup.ts";

/** Checks have instances of their own. */
const starting = [{ guard: "isCheck", target: "checking" }, { target: "leasing" }] as const;

export const testMachine = testSetup.createMachine({
  id: "test",
  description: "One test in flight: lease, setup, act, verify, judge, teardown.",
  context: ({ input }) => ({
    ...input,
    connection: undefined,
    connectionId: undefined,
    pid: undefined,
    observation: { commands: [], ...(input.control && { control: input.control }) },
    prepared: false,
    progress: 0,
    damaged: false,
    cancelled: false,
    wait: { limits: 1 },
    verdict: undefined,
    step: { index: 0, variables: {}, seen: undefined, commands: [] },
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
        { guard: "isAlone", target: "endingRetained" },
        ...starting,
      ],
    },
    /** The server may not bear another one: all others are ended first. */
    endingRetained: {
      on: { "test.cancel": { target: "finished", actions: "noteCancelled" } },
      invoke: { src: "endRetained", input: {}, onDone: "vacating", onError: "vacating" },
      after: { vacating: "vacating" },
    },
    vacating: {
      entry: "vacatePool",
      on: {
        "test.cancel": { target: "finished", actions: "noteCancelled" },
        "pool.vacated": starting,
      },
      after: { vacating: starting },
    },
    checking: {
      on: {
        "check.ending": {
          actions: sendTo(
            parentRef,
            ({ context }) => sendToSuite({ type: "test.slow", testId: context.planned.test.id }),
          ),
        },
        "test.cancel": { target: "finished", actions: "noteCancelled" },
      },
      entry: sendTo(parentRef, ({ context }) =>
        sendToSuite({
          type: "test.started",
          testId: context.planned.test.id,
          connectionId: "own instance",
          pid: undefined,
        })),
      invoke: {
        src: "check",
        input: ({ context: { planned, rules, slowTools = [] } }) => ({ planned, rules, slowTools }),
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
        "test.cancel": { target: "finished", actions: "noteCancelled" },
        "lease.granted": {
          target: "running",
          actions: [
            assign({
              connection: ({ event }) => event.connection,
              connectionId: ({ event }) => event.connectionId,
              pid: ({ event }) => event.pid,
            }),
            sendTo(parentRef, ({ context, event }) =>
              sendToSuite({
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
        "test.cancel": [
          { guard: "hasTeardown", target: "cleaningUp", actions: ["cancelCall", "noteCancelled"] },
          { target: "finished", actions: ["cancelCall", "noteCancelled"] },
        ],
        "hang.inspected": noteInspection,
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
                // A limit that may be extended is none yet.
                calm: { guard: "isFixed", actions: inspectWithin(inspectionMs) },
                limit: [{ guard: "isExtendable", target: "checkingLife" }, { target: "#test.timingOut" }],
              },
              on: {
                "call.progressed": [
                  { guard: "isExtendable", target: "ticking", reenter: true, actions: "countProgress" },
                  { actions: "countProgress" },
                ],
              },
            },
            /** A slow tool may show nothing until it is done: a server that lives gets three times as long again. */
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
              after: { pinging: { actions: inspectWithin(() => pingTimeoutMs) } },
            },
            lastWait: {
              entry: ["forgetHang", "beginLastWait"],
              after: { calm: { actions: inspectWithin(inspectionMs) }, limit: "#test.timingOut" },
              on: {
                "call.progressed": { target: "ticking", actions: ["countProgress", "forgetHang"] },
              },
            },
          },
        },
        work: {
          initial: "choosing",
          states: {
            /** A refused control call does not end the test: how the bad input is refused may still decide it. */
            choosing: {
              always: [
                { guard: "needsSetup", target: "preparing" },
                { guard: "hasSteps", target: "stepping" },
                { guard: "needsControl", target: "callingControl" },
                { target: "acting" },
              ],
            },
            preparing: {
              invoke: {
                src: "prepare",
                input: ({ context }) => ({ planned: context.planned }),
                onDone: { target: "choosing", actions: assign({ prepared: true }) },
                onError: {
                  target: "#test.judging",
                  actions: {
                    type: "observe",
                    params: ({ event }) => ({
                      setupFailure: messageOf(event.error),
                    }),
                  },
                },
              },
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
                  target: "choosing",
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
                "call.completed": [
                  {
                    guard: "hasVerify",
                    target: "verifying",
                    actions: { type: "observe", params: ({ event }) => ({ outcome: event.outcome }) },
                  },
                  {
                    target: "#test.judging",
                    actions: { type: "observe", params: ({ event }) => ({ outcome: event.outcome }) },
                  },
                ],
                "call.failed": {
                  target: "#test.judging",
                  actions: [
                    assign({ damaged: true }),
                    { type: "observe", params: ({ event }) => ({ callError: event.error }) },
                  ],
                },
              },
            },
            stepping: steppingState,
            verifying: {
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
    timingOut: timingOutState,
    judging: {
      on: { "test.cancel": cancelled },
      after: {
        judging: {
          target: "cleaningUp",
          actions: assign({ verdict: judgementFailed(`it took more than ${judgeLimitMs / 1000} s`) }),
        },
      },
      invoke: {
        src: "judge",
        input: ({ context: { planned, rules, observation, connectionId } }) => ({
          planned,
          rules,
          observation,
          connectionId,
        }),
        onDone: [
          {
            guard: "hasTeardown",
            target: "cleaningUp",
            actions: assign({ verdict: ({ event }) => event.output }),
          },
          { target: "finished", actions: assign({ verdict: ({ event }) => event.output }) },
        ],
        onError: {
          target: "cleaningUp",
          actions: assign({ verdict: ({ event }) => judgementFailed(event.error) }),
        },
      },
    },
    cleaningUp: {
      invoke: {
        src: "cleanUp",
        input: ({ context }) => ({ planned: context.planned }),
        onDone: {
          target: "finished",
          actions: { type: "addNote", params: ({ event }) => ({ note: event.output }) },
        },
        onError: "finished",
      },
      after: {
        teardown: { target: "finished", actions: { type: "addNote", params: teardownTimedOut } },
      },
    },
    finished: {
      type: "final",
      entry: [
        "releaseLease",
        sendTo(parentRef, ({ context }) =>
          sendToSuite({
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
