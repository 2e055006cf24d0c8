/**
 * One tool call outside of a suite: leases a server, calls, gives the lease back.
 *
 * Started by the session for `pth_call_plugin_tool`. Where the server is lost, or silent for too long, it is looked at
 * before the caller hears of it.
 */
import { type AnyActorRef, assign, sendTo, setup } from "xstate";
import type { CallEvent } from "./connection_machine.ts";
import { calmMs, type HangFact, hangInspectionMachine, inspectionMs } from "./hang_inspection_machine.ts";
import type { CallOutcome } from "./model/plugin.ts";
import type { ConnectionLoss } from "./model/plugin.ts";
import type { HangInspection } from "./model/stuck.ts";
import type { LeaseFact } from "./pool/pool_events.ts";
import type { PoolRef } from "./plugin_machine.ts";
import { parentRef } from "./parent_ref.ts";
import { slot } from "./slot.ts";

export interface CallRequest {
  requestId: string;
  tool: string;
  input: Record<string, unknown>;
  /** Time limit of an answer in ms; a notification about the call starts it again. */
  limitMs: number;
  /** Pool that grants leases. */
  pool: PoolRef;
}

/** A call without an answer within its limit. */
export interface UnansweredCall {
  connectionId: string;
  tool: string;
  limitMs: number;
  /** Inspection of the server's processes before the limit. */
  inspection: HangInspection | undefined;
}

/** Diagnosis of a server that does not answer. */
export interface CallTimeout {
  error: unknown;
  /** True if it does not answer a ping either. */
  hangs: boolean;
}

export type CallMachineEvent = { type: "call.cancel" } | LeaseFact | CallEvent | HangFact;

/** Facts for the session. */
export type CallFact =
  | { type: "call.finished"; requestId: string; outcome: CallOutcome }
  | { type: "call.broke"; requestId: string; error: unknown };

interface CallContext extends CallRequest {
  connection: AnyActorRef | undefined;
  connectionId: string | undefined;
  loss: ConnectionLoss | undefined;
  /** Inspection of a server that owes the answer. */
  inspection: HangInspection | undefined;
  /** The instance is not to be used any more. */
  damaged: boolean;
  outcome: CallOutcome | undefined;
  error: unknown;
}

/** Limit in ms on examining a server that was lost or does not answer. */
const lookLimitMs = 60_000;

const tellSession = (fact: CallFact) => fact;

const silent = (state: string): Error => new Error(`Cannot finish call: ${state}`);

export const callMachine = setup({
  types: {
    context: {} as CallContext,
    input: {} as CallRequest,
    events: {} as CallMachineEvent,
  },
  actors: {
    /** Resolves to the error that tells what is known of the loss. */
    explainLoss: slot<unknown, { connectionId: string; tool: string; loss: ConnectionLoss }>(
      "call.explain_loss",
    ),
    explainSilence: slot<CallTimeout, UnansweredCall>("call.explain_silence"),
    inspect: hangInspectionMachine,
  },
  delays: {
    limit: ({ context }) => context.limitMs,
    calm: ({ context }) => calmMs(context.limitMs),
    looking: lookLimitMs,
  },
  actions: {
    releaseLease: sendTo(({ context }) => context.pool, ({ context }) => ({
      type: "lease.released",
      leaseId: context.requestId,
      restart: context.damaged,
    })),
    noteLoss: assign({ loss: (_, { loss }: { loss: ConnectionLoss }) => loss }),
    cancelCall: sendTo(({ context }) => context.connection!, { type: "connection.cancel_call" }),
    refuse: assign({ error: new Error("Cannot finish call: it was cancelled") }),
  },
}).createMachine({
  id: "call",
  description: "One tool call outside of a suite: leases a server, calls, gives the lease back.",
  context: ({ input }) => ({
    ...input,
    connection: undefined,
    connectionId: undefined,
    loss: undefined,
    inspection: undefined,
    damaged: false,
    outcome: undefined,
    error: undefined,
  }),
  initial: "leasing",
  states: {
    leasing: {
      entry: sendTo(({ context }) => context.pool, ({ context, self }) => ({
        type: "lease.requested",
        leaseId: context.requestId,
        holder: self,
      })),
      on: {
        "lease.granted": {
          target: "calling",
          actions: assign({
            connection: ({ event }) => event.connection,
            connectionId: ({ event }) => event.connectionId,
          }),
        },
        "lease.refused": { target: "broken", actions: assign({ error: ({ event }) => event.error }) },
        "call.cancel": { target: "broken", actions: "refuse" },
      },
    },
    calling: {
      entry: sendTo(({ context }) => context.connection!, ({ context, self }) => ({
        type: "connection.call",
        callId: context.requestId,
        tool: context.tool,
        input: context.input,
        caller: self,
      })),
      on: {
        "call.completed": { target: "done", actions: assign({ outcome: ({ event }) => event.outcome }) },
        "call.failed": { target: "broken", actions: assign({ error: ({ event }) => event.error }) },
        "call.cancel": { target: "broken", actions: ["cancelCall", "refuse"] },
        "connection.lost": {
          target: "explainingLoss",
          actions: { type: "noteLoss", params: ({ event }) => ({ loss: event.loss }) },
        },
      },
      initial: "waiting",
      states: {
        waiting: {
          entry: assign({ inspection: undefined }),
          after: { limit: "explainingSilence" },
          on: {
            "call.progressed": { target: "waiting", reenter: true },
            "hang.inspected": { actions: assign({ inspection: ({ event }) => event.inspection }) },
          },
          initial: "calm",
          states: {
            calm: { after: { calm: "inspecting" } },
            inspecting: {
              invoke: {
                src: "inspect",
                input: ({ context: { connectionId, limitMs } }) => ({
                  of: { connectionId: connectionId! },
                  leftMs: inspectionMs(limitMs),
                }),
              },
            },
          },
        },
        // The answer may still come while the server is looked at.
        explainingSilence: {
          invoke: {
            src: "explainSilence",
            input: ({ context: { connectionId, tool, limitMs, inspection } }) => ({
              connectionId: connectionId!,
              tool,
              limitMs,
              inspection,
            }),
            onDone: {
              target: "#call.broken",
              actions: [
                "cancelCall",
                assign({
                  error: ({ event }) => event.output.error,
                  damaged: ({ event }) => event.output.hangs,
                }),
              ],
            },
            onError: {
              target: "#call.broken",
              actions: ["cancelCall", assign({ error: ({ event }) => event.error, damaged: true })],
            },
          },
          after: {
            looking: {
              target: "#call.broken",
              actions: [
                "cancelCall",
                assign({
                  error: ({ context }) => silent(`no answer within ${context.limitMs / 1000} s`),
                  damaged: true,
                }),
              ],
            },
          },
        },
      },
    },
    explainingLoss: {
      invoke: {
        src: "explainLoss",
        input: ({ context: { connectionId, tool, loss } }) => ({
          connectionId: connectionId!,
          tool,
          loss: loss!,
        }),
        onDone: { target: "broken", actions: assign({ error: ({ event }) => event.output }) },
        onError: { target: "broken", actions: assign({ error: ({ event }) => event.error }) },
      },
      after: {
        looking: {
          target: "broken",
          actions: assign({
            error: ({ context }) => silent(`the server is gone: ${context.loss!.message}`),
          }),
        },
      },
      on: { "call.cancel": { target: "broken", actions: "refuse" } },
    },
    done: {
      type: "final",
      entry: [
        "releaseLease",
        sendTo(
          parentRef,
          ({ context: { requestId, outcome } }) =>
            tellSession({ type: "call.finished", requestId, outcome: outcome! }),
        ),
      ],
    },
    broken: {
      type: "final",
      entry: [
        "releaseLease",
        sendTo(
          parentRef,
          ({ context: { requestId, error } }) => tellSession({ type: "call.broke", requestId, error }),
        ),
      ],
    },
  },
});
