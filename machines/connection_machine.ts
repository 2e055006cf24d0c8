/**
 * One MCP connection and, with it, one server instance.
 *
 * Started by the pool. Serves one call at a time for whoever holds its lease, and tells the pool when the server goes
 * away by itself.
 */
import { type AnyActorRef, assign, sendTo, setup } from "xstate";
import { calmMs, type HangFact, hangInspectionMachine, inspectionMs } from "./hang_inspection_machine.ts";
import type { StepResult } from "./model/observation.ts";
import type {
  CallOutcome,
  ClientCapability,
  CloseReport,
  ConnectionLoss,
  PluginPlan,
  ServerInfo,
  ToolDefinition,
} from "./model/plugin.ts";
import type { HangInspection } from "./model/stuck.ts";
import type { TestStep } from "./model/test_case.ts";
import { messageOf } from "./message_of.ts";
import { parentRef } from "./parent_ref.ts";
import { callbackActor, slot } from "./slot.ts";

export interface OpenInput {
  connectionId: string;
  /** Counts from 0; HTTP instances take their port from it. */
  instance: number;
  plan: PluginPlan;
  /** Capabilities that the client declares to this instance; default none. */
  abilities?: readonly ClientCapability[];
}

export interface OpenedConnection {
  server: ServerInfo;
  pid: number | undefined;
  tools: ToolDefinition[];
}

export interface CallInput {
  connectionId: string;
  callId: string;
  tool: string;
  input: Record<string, unknown>;
}

export interface StepInput {
  connectionId: string;
  callId: string;
  step: TestStep;
  /** Values captured by earlier steps. */
  variables: Record<string, unknown>;
  /** With the first step of a test: the roots that the client offers in it. */
  begins?: { roots: readonly { uri: string; name?: string }[] };
}

/** Events for the caller that leased the connection. */
export type CallEvent =
  | { type: "call.progressed"; callId: string; message?: string }
  | { type: "call.completed"; callId: string; outcome: CallOutcome }
  | { type: "step.performed"; callId: string; seen: StepResult }
  | { type: "call.failed"; callId: string; error: unknown };

export type ConnectionEvent =
  | {
    type: "connection.call";
    callId: string;
    tool: string;
    input: Record<string, unknown>;
    caller: AnyActorRef;
  }
  /** Any step of a test: a call with its script, a resource, a prompt, a notification that is waited for. */
  | ({ type: "connection.perform"; caller: AnyActorRef } & Omit<StepInput, "connectionId">)
  /** Ends a step, too. */
  | { type: "connection.cancel_call" }
  | { type: "connection.close" }
  /** The server's process was started, or listing its tools begins, with this limit on its answers. */
  | { type: "connection.starting"; limitMs: number }
  | HangFact
  | CallEvent;

/** Facts for the pool. */
export type ConnectionFact =
  | ({ type: "connection.opened"; connectionId: string } & OpenedConnection)
  | { type: "connection.open_failed"; connectionId: string; error: unknown }
  | { type: "connection.lost"; connectionId: string; loss: ConnectionLoss }
  | { type: "connection.closed"; connectionId: string; report: CloseReport | undefined };

interface ConnectionContext extends OpenInput {
  opened: OpenedConnection | undefined;
  /** Limit in ms on the server's first answers, and the inspection of one that gives none. */
  opening: { limitMs: number; inspection: HangInspection | undefined };
  /** Reason why it could not be opened. */
  error: unknown;
  current: { caller: AnyActorRef; call?: CallInput; step?: StepInput } | undefined;
  loss: ConnectionLoss | undefined;
  calls: number;
}

/** Limit in ms on ending a server; the end of its environment ends it, too. */
const closeLimitMs = 30_000;

/** Limit in ms on adding an inspection to an error. */
const explainLimitMs = 5000;

const tellPool = (fact: ConnectionFact) => fact;

/** A loss of which nothing is known but what the words say. */
export const lossOf = (message: string): ConnectionLoss => ({
  reason: "closed",
  exitCode: null,
  signal: null,
  stderrTail: "",
  message,
});

/** A call or a step whose actor died of an error of its own. */
const brokeOff = {
  target: "idle",
  actions: [{ type: "failCall", params: ({ event }: { event: { error: unknown } }) => event }, "forgetCall"],
} as const;

const ownError = ({ context }: { context: { error: unknown } }) => ({ error: context.error });

const closedWithoutReport = { target: "closed", actions: "tellClosed" } as const;

export const connectionMachine = setup({
  types: {
    context: {} as ConnectionContext,
    input: {} as OpenInput,
    events: {} as ConnectionEvent,
  },
  actors: {
    /** Tells `connection.starting` as often as the limit on answers begins again. */
    open: slot<OpenedConnection, OpenInput>("connection.open"),
    inspect: hangInspectionMachine,
    /** Resolves to the error with what the inspection says. */
    explainOpening: slot<unknown, { error: unknown; inspection: HangInspection }>(
      "connection.explain_opening",
    ),
    /** Resolves when the server goes away by itself. */
    watch: slot<ConnectionLoss, { connectionId: string }>("connection.watch"),
    /** Sends back `call.progressed`, then `call.completed` or `call.failed`; stopping it cancels the call. */
    call: callbackActor<CallInput>("connection.call"),
    /** Sends back `call.progressed`, then `step.performed` or `call.failed`; stopping it cancels what it does. */
    perform: callbackActor<StepInput>("connection.perform"),
    /** Ends the server and what it left behind; also after it was lost. */
    close: slot<CloseReport, { connectionId: string }>("connection.close"),
  },
  actions: {
    passToCaller: sendTo(({ context }) => context.current!.caller, ({ event }) => event),
    forgetCall: assign({ current: undefined }),
    failCall: sendTo(
      ({ context }) => context.current!.caller,
      ({ context: { current } }, { error }: { error: unknown }) => ({
        type: "call.failed",
        callId: (current!.call ?? current!.step)!.callId,
        error,
      }),
    ),
    tellOpenFailed: sendTo(
      parentRef,
      ({ context }, { error }: { error: unknown }) =>
        tellPool({ type: "connection.open_failed", connectionId: context.connectionId, error }),
    ),
    noteError: assign({ error: (_, { error }: { error: unknown }) => error }),
    tellClosed: sendTo(
      parentRef,
      ({ context }) =>
        tellPool({ type: "connection.closed", connectionId: context.connectionId, report: undefined }),
    ),
  },
  guards: { hasInspection: ({ context }) => context.opening.inspection !== undefined },
  delays: {
    closing: closeLimitMs,
    calm: ({ context }) => calmMs(context.opening.limitMs),
    explaining: explainLimitMs,
  },
}).createMachine({
  id: "connection",
  description: "One MCP connection and, with it, one server instance.",
  context: ({ input }) => ({
    ...input,
    opened: undefined,
    opening: { limitMs: 0, inspection: undefined },
    error: undefined,
    current: undefined,
    loss: undefined,
    calls: 0,
  }),
  initial: "connecting",
  states: {
    connecting: {
      invoke: {
        src: "open",
        input: ({ context: { connectionId, instance, plan, abilities } }) => ({
          connectionId,
          instance,
          plan,
          ...(abilities === undefined ? {} : { abilities }),
        }),
        onDone: {
          target: "open",
          actions: [
            assign({ opened: ({ event }) => event.output }),
            sendTo(
              parentRef,
              ({ context, event }) =>
                tellPool({ type: "connection.opened", connectionId: context.connectionId, ...event.output }),
            ),
          ],
        },
        onError: [
          {
            guard: "hasInspection",
            target: "explaining",
            actions: { type: "noteError", params: ({ event }) => ({ error: event.error }) },
          },
          {
            target: "closed",
            actions: { type: "tellOpenFailed", params: ({ event }) => ({ error: event.error }) },
          },
        ],
      },
      on: {
        "connection.close": "closing",
        "connection.starting": {
          target: ".starting",
          actions: assign({ opening: ({ event: { limitMs } }) => ({ limitMs, inspection: undefined }) }),
        },
        "hang.inspected": {
          actions: assign({
            opening: ({ context, event }) => ({ ...context.opening, inspection: event.inspection }),
          }),
        },
      },
      initial: "spawning",
      states: {
        spawning: {},
        /** The server owes an answer. */
        starting: { after: { calm: "inspecting" } },
        inspecting: {
          invoke: {
            src: "inspect",
            input: ({ context: { connectionId, opening } }) => ({
              of: { connectionId },
              leftMs: inspectionMs(opening.limitMs),
            }),
          },
        },
      },
    },
    explaining: {
      invoke: {
        src: "explainOpening",
        input: ({ context: { error, opening } }) => ({ error, inspection: opening.inspection! }),
        onDone: {
          target: "closed",
          actions: { type: "tellOpenFailed", params: ({ event }) => ({ error: event.output }) },
        },
        onError: { target: "closed", actions: { type: "tellOpenFailed", params: ownError } },
      },
      after: { explaining: { target: "closed", actions: { type: "tellOpenFailed", params: ownError } } },
      on: { "connection.close": "closing" },
    },
    open: {
      initial: "idle",
      invoke: {
        src: "watch",
        input: ({ context }) => ({ connectionId: context.connectionId }),
        onDone: { target: "lost", actions: assign({ loss: ({ event }) => event.output }) },
        // Nobody would hear any more of a server that goes away.
        onError: {
          target: "lost",
          actions: assign({ loss: ({ event }) => lossOf(`it cannot be watched: ${messageOf(event.error)}`) }),
        },
      },
      on: { "connection.close": "closing" },
      states: {
        idle: {
          on: {
            "connection.call": {
              target: "calling",
              actions: assign({
                current: ({ context: { connectionId }, event: { callId, tool, input, caller } }) => ({
                  call: { connectionId, callId, tool, input },
                  caller,
                }),
                calls: ({ context }) => context.calls + 1,
              }),
            },
            "connection.perform": {
              target: "performing",
              actions: assign({
                current: ({ context: { connectionId }, event: { type: _, caller, ...step } }) => ({
                  step: { connectionId, ...step },
                  caller,
                }),
                calls: ({ context }) => context.calls + 1,
              }),
            },
          },
        },
        calling: {
          invoke: {
            src: "call",
            input: ({ context: { current } }) => current!.call!,
            onError: brokeOff,
          },
          on: {
            "call.progressed": { actions: "passToCaller" },
            "call.completed": { target: "idle", actions: ["passToCaller", "forgetCall"] },
            "call.failed": { target: "idle", actions: ["passToCaller", "forgetCall"] },
            "connection.cancel_call": { target: "idle", actions: "forgetCall" },
          },
        },
        performing: {
          invoke: {
            src: "perform",
            input: ({ context: { current } }) => current!.step!,
            onError: brokeOff,
          },
          on: {
            "call.progressed": { actions: "passToCaller" },
            "step.performed": { target: "idle", actions: ["passToCaller", "forgetCall"] },
            "call.failed": { target: "idle", actions: ["passToCaller", "forgetCall"] },
            "connection.cancel_call": { target: "idle", actions: "forgetCall" },
          },
        },
      },
    },
    // The pool tells whoever holds the lease.
    lost: {
      entry: sendTo(
        parentRef,
        ({ context }) =>
          tellPool({ type: "connection.lost", connectionId: context.connectionId, loss: context.loss! }),
      ),
      always: "closing",
    },
    closing: {
      invoke: {
        src: "close",
        input: ({ context }) => ({ connectionId: context.connectionId }),
        onDone: {
          target: "closed",
          actions: sendTo(
            parentRef,
            ({ context, event }) =>
              tellPool({
                type: "connection.closed",
                connectionId: context.connectionId,
                report: event.output,
              }),
          ),
        },
        onError: closedWithoutReport,
      },
      after: { closing: closedWithoutReport },
    },
    closed: { type: "final" },
  },
});
