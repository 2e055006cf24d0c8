/**
 * One environment from its making to its end (PTH design §5.1).
 *
 * Started by the session. Ordinary work inside (commands, copies, readings) goes on side by side while it is ready;
 * snapshots and rollbacks are states of their own, in which nothing else is accepted.
 */
import { assign, enqueueActions, sendTo, setup, stopChild } from "xstate";
import type { EnvironmentConfig } from "./model/environment.ts";
import type { EnvironmentInfo } from "./model/session.ts";
import { parentOf } from "./parent_of.ts";
import { channel, slot } from "./slot.ts";

/** Ordinary work inside an environment; `kind` and `args` are known to the slot. */
export interface Operation {
  requestId: string;
  kind: string;
  args: Record<string, unknown>;
}

export type EnvironmentEvent =
  | { type: "environment.provision" }
  | ({ type: "environment.perform" } & Operation)
  | { type: "environment.snapshot"; requestId: string; tag: string }
  | { type: "environment.rollback"; requestId: string; snapshot: string }
  | { type: "environment.destroy" }
  | { type: "environment.cancel_operation"; requestId: string }
  | { type: "operation.completed"; requestId: string; output: unknown }
  | { type: "operation.failed"; requestId: string; error: unknown };

/** What the session hears. */
export type EnvironmentFact =
  | { type: "environment.provisioned"; environment: EnvironmentInfo }
  | { type: "environment.provision_failed"; error: unknown }
  | { type: "environment.rolled_back"; environment: EnvironmentInfo }
  /** What ran in it may run still. */
  | { type: "environment.rollback_failed" }
  | { type: "environment.destroyed" }
  | { type: "environment.destroy_failed"; error: unknown }
  | { type: "operation.completed"; requestId: string; output: unknown }
  | { type: "operation.failed"; requestId: string; error: unknown };

interface EnvironmentContext {
  config: Partial<EnvironmentConfig>;
  environment: EnvironmentInfo | undefined;
  request: { requestId: string; tag?: string; snapshot?: string } | undefined;
  error: unknown;
}

const tellSession = (fact: EnvironmentFact) => fact;
const operationActor = (requestId: string) => `operation-${requestId}`;

export const environmentMachine = setup({
  types: {
    context: {} as EnvironmentContext,
    input: {} as { config: Partial<EnvironmentConfig> },
    events: {} as EnvironmentEvent,
  },
  actors: {
    provision: slot<EnvironmentInfo, { config: Partial<EnvironmentConfig> }>("environment.provision"),
    /** Sends back `operation.completed` or `operation.failed`; stopping it aborts the work. */
    perform: channel<{ environment: EnvironmentInfo; operation: Operation }>("environment.perform"),
    snapshot: slot<string, { environment: EnvironmentInfo; tag: string }>("environment.snapshot"),
    rollback: slot<EnvironmentInfo, { environment: EnvironmentInfo; snapshot: string }>(
      "environment.rollback",
    ),
    /** Also waits for a provisioning that was cut short. */
    destroy: slot<void, { environment: EnvironmentInfo | undefined }>("environment.destroy"),
  },
  actions: {
    report: sendTo(parentOf, ({ event }) => event),
    tellFailure: sendTo(
      parentOf,
      ({ event }) =>
        tellSession({
          type: "environment.destroy_failed",
          error: (event as unknown as { error: unknown }).error,
        }),
    ),
    /** Answers the snapshot or rollback that was asked for. */
    answer: sendTo(
      parentOf,
      ({ context }, { output }: { output: unknown }) =>
        tellSession({ type: "operation.completed", requestId: context.request!.requestId, output }),
    ),
    refuse: sendTo(
      parentOf,
      ({ context }, { error }: { error: unknown }) =>
        tellSession({ type: "operation.failed", requestId: context.request!.requestId, error }),
    ),
  },
}).createMachine({
  id: "environment",
  description: "One environment from its making to its end.",
  context: ({ input }) => ({
    config: input.config,
    environment: undefined,
    request: undefined,
    error: undefined,
  }),
  initial: "absent",
  on: {
    "operation.completed": {
      actions: ["report", stopChild(({ event }) => operationActor(event.requestId))],
    },
    "operation.failed": {
      actions: ["report", stopChild(({ event }) => operationActor(event.requestId))],
    },
    "environment.cancel_operation": {
      actions: [
        stopChild(({ event }) => operationActor(event.requestId)),
        sendTo(parentOf, ({ event }) =>
          tellSession({
            type: "operation.failed",
            requestId: event.requestId,
            error: new Error("Cannot finish operation: it was cancelled"),
          })),
      ],
    },
    "environment.destroy": ".destroying",
  },
  states: {
    absent: {
      on: { "environment.provision": "provisioning", "environment.destroy": "destroyed" },
    },
    provisioning: {
      invoke: {
        src: "provision",
        input: ({ context }) => ({ config: context.config }),
        onDone: {
          target: "ready",
          actions: [
            assign({ environment: ({ event }) => event.output }),
            sendTo(
              parentOf,
              ({ event }) => tellSession({ type: "environment.provisioned", environment: event.output }),
            ),
          ],
        },
        onError: {
          target: "failed",
          actions: [
            assign({ error: ({ event }) => event.error }),
            sendTo(
              parentOf,
              ({ event }) => tellSession({ type: "environment.provision_failed", error: event.error }),
            ),
          ],
        },
      },
    },
    ready: {
      entry: assign({ request: undefined }),
      on: {
        "environment.perform": {
          actions: enqueueActions(({ context, event, enqueue }) => {
            const { requestId, kind, args } = event;
            enqueue.spawnChild("perform", {
              id: operationActor(requestId),
              input: { environment: context.environment!, operation: { requestId, kind, args } },
            });
          }),
        },
        "environment.snapshot": {
          target: "snapshotting",
          actions: assign({ request: ({ event: { requestId, tag } }) => ({ requestId, tag }) }),
        },
        "environment.rollback": {
          target: "rollingBack",
          actions: assign({ request: ({ event: { requestId, snapshot } }) => ({ requestId, snapshot }) }),
        },
      },
    },
    snapshotting: {
      invoke: {
        src: "snapshot",
        input: ({ context }) => ({ environment: context.environment!, tag: context.request!.tag! }),
        onDone: {
          target: "ready",
          actions: { type: "answer", params: ({ event }) => ({ output: event.output }) },
        },
        onError: {
          target: "ready",
          actions: { type: "refuse", params: ({ event }) => ({ error: event.error }) },
        },
      },
    },
    rollingBack: {
      invoke: {
        src: "rollback",
        input: ({ context }) => ({ environment: context.environment!, snapshot: context.request!.snapshot! }),
        onDone: {
          target: "ready",
          actions: [
            assign({ environment: ({ event }) => event.output }),
            sendTo(
              parentOf,
              ({ event }) => tellSession({ type: "environment.rolled_back", environment: event.output }),
            ),
            { type: "answer", params: ({ event }) => ({ output: event.output }) },
          ],
        },
        onError: {
          target: "ready",
          actions: [
            sendTo(parentOf, tellSession({ type: "environment.rollback_failed" })),
            { type: "refuse", params: ({ event }) => ({ error: event.error }) },
          ],
        },
      },
    },
    failed: {},
    destroying: {
      on: { "environment.destroy": {} },
      invoke: {
        src: "destroy",
        input: ({ context }) => ({ environment: context.environment }),
        onDone: "destroyed",
        // What could not be destroyed is still there.
        onError: [
          {
            guard: ({ context }) => context.environment !== undefined,
            target: "ready",
            actions: "tellFailure",
          },
          { target: "destroyed", actions: "tellFailure" },
        ],
      },
    },
    destroyed: {
      type: "final",
      entry: sendTo(parentOf, tellSession({ type: "environment.destroyed" })),
    },
  },
});
