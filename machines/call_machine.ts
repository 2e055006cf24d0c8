/**
 * One tool call outside of a suite: leases a server, calls, gives the lease back.
 *
 * Started by the session for `pth_call_plugin_tool`.
 */
import { type AnyActorRef, assign, sendTo, setup } from "xstate";
import type { CallEvent } from "./connection_machine.ts";
import type { CallOutcome } from "./model/plugin.ts";
import type { LeaseFact } from "./pool_machine.ts";
import type { PoolRef } from "./plugin_machine.ts";
import { parentOf } from "./parent_of.ts";

export interface CallRequest {
  requestId: string;
  tool: string;
  input: Record<string, unknown>;
  /** Who grants leases. */
  pool: PoolRef;
}

export type CallMachineEvent = { type: "call.cancel" } | LeaseFact | CallEvent;

/** What the session hears. */
export type CallFact =
  | { type: "call.finished"; requestId: string; outcome: CallOutcome }
  | { type: "call.broke"; requestId: string; error: unknown };

interface CallContext extends CallRequest {
  connection: AnyActorRef | undefined;
  outcome: CallOutcome | undefined;
  error: unknown;
}

const tellSession = (fact: CallFact) => fact;

export const callMachine = setup({
  types: {
    context: {} as CallContext,
    input: {} as CallRequest,
    events: {} as CallMachineEvent,
  },
  actions: {
    releaseLease: sendTo(({ context }) => context.pool, ({ context }) => ({
      type: "lease.released",
      leaseId: context.requestId,
    })),
    cancelCall: sendTo(({ context }) => context.connection!, { type: "connection.cancel_call" }),
    refuse: assign({ error: new Error("Cannot finish call: it was cancelled") }),
  },
}).createMachine({
  id: "call",
  context: ({ input }) => ({ ...input, connection: undefined, outcome: undefined, error: undefined }),
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
          actions: assign({ connection: ({ event }) => event.connection }),
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
        "connection.lost": { target: "broken", actions: assign({ error: ({ event }) => event.loss }) },
        "call.cancel": { target: "broken", actions: ["cancelCall", "refuse"] },
      },
    },
    done: {
      type: "final",
      entry: [
        "releaseLease",
        sendTo(
          parentOf,
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
          parentOf,
          ({ context: { requestId, error } }) => tellSession({ type: "call.broke", requestId, error }),
        ),
      ],
    },
  },
});
