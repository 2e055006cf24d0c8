/**
 * Runs one prompt test, which an agent works on.
 *
 * Started by the session. Uses one server for the whole run, makes the agent's calls on it one by one, and when
 * the agent has judged the checklist runs the test's `verify` commands. The time limit counts from the first
 * moment in which the agent can work; setup and teardown have the same limit each.
 */
import { type AnyActorRef, assign, enqueueActions, sendTo, setup } from "xstate";
import type { CallEvent } from "./connection_machine.ts";
import type { AgentRunEnd, AgentWork } from "./model/agent_run.ts";
import type { CommandObservation, PlannedTest } from "./model/observation.ts";
import type { CallOutcome } from "./model/plugin.ts";
import { messageOf } from "./message_of.ts";
import { parentRef } from "./parent_ref.ts";
import type { PoolRef } from "./plugin_machine.ts";
import type { LeaseFact } from "./pool/pool_events.ts";
import { slot } from "./slot.ts";
import { judgeLimitMs, judgementFailed, teardownMs, teardownTimedOut, withNote } from "./test/test_setup.ts";
import type { JudgedItem, Verdict } from "./model/verdict.ts";

export interface AgentRunInput {
  runId: string;
  planned: PlannedTest;
  /** Pool that grants leases. */
  pool: PoolRef;
}

export type AgentRunEvent =
  | { type: "agent_run.call"; callId: string; tool: string; input: Record<string, unknown> }
  | { type: "agent_run.cancel_call" }
  | { type: "agent_run.close"; checklist: JudgedItem[] }
  | { type: "agent_run.abandon"; reason: string }
  | LeaseFact
  | CallEvent;

/** Facts for the session. */
export type AgentRunFact =
  | { type: "agent_run.began"; runId: string; connectionId: string; pid: number | undefined }
  | { type: "agent_run.answered"; outcome: CallOutcome }
  | { type: "agent_run.call_failed"; error: unknown }
  | ({ type: "agent_run.finished" } & AgentRunEnd);

export interface AgentJudgeInput {
  planned: PlannedTest;
  work: AgentWork;
  connectionId: string | undefined;
}

interface AgentRunContext extends AgentRunInput {
  connection: AnyActorRef | undefined;
  connectionId: string | undefined;
  pid: number | undefined;
  current: { callId: string; tool: string; input: Record<string, unknown> } | undefined;
  work: AgentWork;
  /** The server instance is not to be used any more. */
  damaged: boolean;
  verdict: Verdict | undefined;
}

const tellSession = (fact: AgentRunFact) => fact;

export const agentRunMachine = setup({
  types: {
    context: {} as AgentRunContext,
    input: {} as AgentRunInput,
    events: {} as AgentRunEvent,
  },
  actors: {
    prepare: slot<void, { planned: PlannedTest }>("agent_run.prepare"),
    verify: slot<CommandObservation[], { planned: PlannedTest }>("agent_run.verify"),
    judge: slot<Verdict, AgentJudgeInput>("agent_run.judge"),
    /** Resolves to what went wrong, if anything. */
    cleanUp: slot<string | undefined, { planned: PlannedTest }>("agent_run.clean_up"),
  },
  actions: {
    note: assign({ work: ({ context }, seen: Partial<AgentWork>) => ({ ...context.work, ...seen }) }),
    cancelCall: sendTo(({ context }) => context.connection!, { type: "connection.cancel_call" }),
    failCall: sendTo(
      parentRef,
      (_, { error }: { error: unknown }) => tellSession({ type: "agent_run.call_failed", error }),
    ),
    forgetCall: assign({ current: undefined }),
    /** Ends a call in progress when the run ends; its caller waits for an answer. */
    breakOffCall: enqueueActions(({ context, enqueue }, { reason }: { reason: string }) => {
      if (!context.current) return;
      enqueue.sendTo(context.connection!, { type: "connection.cancel_call" });
      enqueue.assign({ current: undefined, damaged: true });
      const error = new Error(`Cannot finish call: ${reason}`);
      enqueue.sendTo(parentRef, tellSession({ type: "agent_run.call_failed", error }));
    }),
    addNote: assign({
      verdict: ({ context }, { note }: { note: string | undefined }) => withNote(context.verdict!, note),
    }),
    noteAbandoned: assign(({ context, event }) =>
      event.type === "agent_run.abandon" ? { work: { ...context.work, abandoned: event.reason } } : {}
    ),
    noteLoss: assign(({ context, event }) =>
      event.type === "connection.lost" ? { damaged: true, work: { ...context.work, loss: event.loss } } : {}
    ),
  },
  guards: {
    hasVerify: ({ context }) => context.planned.test.verify.length > 0,
  },
  delays: {
    limit: ({ context }) => context.planned.timeoutMs,
    judging: judgeLimitMs,
    teardown: teardownMs,
  },
}).createMachine({
  id: "agentRun",
  description: "One prompt-driven test, worked by whoever holds the model.",
  context: ({ input }) => ({
    ...input,
    connection: undefined,
    connectionId: undefined,
    pid: undefined,
    current: undefined,
    work: { calls: [], commands: [] },
    damaged: false,
    verdict: undefined,
  }),
  initial: "leasing",
  on: {
    // Begun while the run came to its end by itself.
    "agent_run.call": {
      actions: { type: "failCall", params: { error: new Error("Cannot make call: the run has ended") } },
    },
  },
  states: {
    leasing: {
      entry: sendTo(({ context }) => context.pool, ({ context, self }) => ({
        type: "lease.requested",
        leaseId: context.runId,
        holder: self,
      })),
      on: {
        "lease.granted": {
          target: "preparing",
          actions: assign({
            connection: ({ event }) => event.connection,
            connectionId: ({ event }) => event.connectionId,
            pid: ({ event }) => event.pid,
          }),
        },
        "lease.refused": {
          target: "judging",
          actions: { type: "note", params: ({ event }) => ({ error: event.error }) },
        },
        "agent_run.abandon": { target: "judging", actions: "noteAbandoned" },
      },
    },
    preparing: {
      invoke: {
        src: "prepare",
        input: ({ context }) => ({ planned: context.planned }),
        onDone: {
          target: "working",
          actions: sendTo(
            parentRef,
            ({ context: { runId, connectionId, pid } }) =>
              tellSession({ type: "agent_run.began", runId, connectionId: connectionId!, pid }),
          ),
        },
        onError: {
          target: "judging",
          actions: {
            type: "note",
            params: ({ event }) => ({ setupFailure: messageOf(event.error) }),
          },
        },
      },
      after: {
        limit: {
          target: "judging",
          actions: {
            type: "note",
            params: ({ context }) => ({
              setupFailure: `it took more than ${context.planned.timeoutMs / 1000} s`,
            }),
          },
        },
      },
      on: {
        "connection.lost": { target: "judging", actions: "noteLoss" },
        "agent_run.abandon": { target: "judging", actions: "noteAbandoned" },
      },
    },
    working: {
      initial: "waiting",
      after: {
        limit: {
          target: "judging",
          actions: [
            { type: "note", params: { timedOut: true } },
            { type: "breakOffCall", params: { reason: "the run's time is up" } },
          ],
        },
      },
      on: {
        "connection.lost": {
          target: "judging",
          actions: [
            "noteLoss",
            { type: "breakOffCall", params: ({ event }) => ({ reason: event.loss.message }) },
          ],
        },
        "agent_run.abandon": {
          target: "judging",
          actions: [
            "noteAbandoned",
            { type: "breakOffCall", params: { reason: "the run was given up" } },
          ],
        },
      },
      states: {
        waiting: {
          on: {
            "agent_run.call": {
              target: "calling",
              actions: assign({ current: ({ event: { callId, tool, input } }) => ({ callId, tool, input }) }),
            },
            "agent_run.close": [
              {
                guard: "hasVerify",
                target: "#agentRun.verifying",
                actions: { type: "note", params: ({ event }) => ({ checklist: event.checklist }) },
              },
              {
                target: "#agentRun.judging",
                actions: { type: "note", params: ({ event }) => ({ checklist: event.checklist }) },
              },
            ],
          },
        },
        calling: {
          entry: sendTo(({ context }) => context.connection!, ({ context: { current }, self }) => ({
            type: "connection.call",
            ...current!,
            caller: self,
          })),
          on: {
            "call.completed": {
              target: "waiting",
              actions: [
                {
                  type: "note",
                  params: ({ context: { work, current }, event: { outcome } }) => ({
                    calls: [...work.calls, { tool: current!.tool, input: current!.input, outcome }],
                  }),
                },
                "forgetCall",
                sendTo(
                  parentRef,
                  ({ event }) => tellSession({ type: "agent_run.answered", outcome: event.outcome }),
                ),
              ],
            },
            "call.failed": {
              target: "waiting",
              actions: ["forgetCall", { type: "failCall", params: ({ event }) => ({ error: event.error }) }],
            },
            "agent_run.cancel_call": {
              target: "waiting",
              actions: [
                "cancelCall",
                "forgetCall",
                { type: "failCall", params: { error: new Error("Cannot finish call: it was cancelled") } },
              ],
            },
          },
        },
      },
    },
    verifying: {
      invoke: {
        src: "verify",
        input: ({ context }) => ({ planned: context.planned }),
        onDone: {
          target: "judging",
          actions: { type: "note", params: ({ event }) => ({ commands: event.output }) },
        },
        onError: {
          target: "judging",
          actions: { type: "note", params: ({ event }) => ({ error: event.error }) },
        },
      },
      after: {
        limit: { target: "judging", actions: { type: "note", params: { timedOut: true } } },
      },
      on: {
        "connection.lost": { actions: "noteLoss" },
        "agent_run.abandon": { target: "judging", actions: "noteAbandoned" },
      },
    },
    judging: {
      invoke: {
        src: "judge",
        input: ({ context: { planned, work, connectionId } }) => ({ planned, work, connectionId }),
        onDone: { target: "cleaningUp", actions: assign({ verdict: ({ event }) => event.output }) },
        onError: {
          target: "cleaningUp",
          actions: assign({ verdict: ({ event }) => judgementFailed(event.error) }),
        },
      },
      after: {
        judging: {
          target: "cleaningUp",
          actions: assign({ verdict: judgementFailed(`it took more than ${judgeLimitMs / 1000} s`) }),
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
        sendTo(({ context }) => context.pool, ({ context }) => ({
          type: "lease.released",
          leaseId: context.runId,
          restart: context.damaged,
        })),
        sendTo(
          parentRef,
          ({ context: { runId, planned, verdict, work, connectionId, pid } }) =>
            tellSession({
              type: "agent_run.finished",
              runId,
              testId: planned.test.id,
              verdict: verdict!,
              work,
              connectionId,
              pid,
            }),
        ),
      ],
    },
  },
});
