/**
 * One environment from its making to its end.
 *
 * Started by the session. Ordinary work inside (commands, copies, readings) goes on side by side while it is ready;
 * snapshots and rollbacks are states of their own, and what is asked meanwhile waits its turn. Each request is kept until it
 * is answered: at the latest when the environment is destroyed, which ends what is under way.
 */
import { assign, enqueueActions, sendTo, setup } from "xstate";
import type { EnvironmentConfig } from "./model/environment.ts";
import type { OperationRequest } from "./model/environment_operations.ts";
import type { EnvironmentInfo, ProvisionedEnvironment } from "./model/session.ts";
import { parentRef } from "./parent_ref.ts";
import { callbackActor, slot } from "./slot.ts";

/** Ordinary work inside an environment. */
export type Operation = OperationRequest & { requestId: string };

type Performance = { type: "environment.perform" } & Operation;

/** Requests to an environment, each answered with its id. */
type EnvironmentRequest =
  | Performance
  | { type: "environment.snapshot"; requestId: string; tag: string }
  | { type: "environment.rollback"; requestId: string; snapshot: string };

export type EnvironmentEvent =
  | { type: "environment.provision" }
  | EnvironmentRequest
  | { type: "environment.destroy" }
  | { type: "environment.cancel_operation"; requestId: string }
  | { type: "operation.completed"; requestId: string; output: unknown }
  | { type: "operation.failed"; requestId: string; error: unknown }
  /** The actor of an operation has died of an error of its own. */
  | { type: `xstate.error.actor.${string}`; error: unknown; actorId: string };

/** Facts for the session. */
export type EnvironmentFact =
  | ({ type: "environment.provisioned" } & ProvisionedEnvironment)
  | { type: "environment.provision_failed"; error: unknown }
  | { type: "environment.rolled_back"; environment: EnvironmentInfo }
  /** Rollback failed: processes of before may still be running. */
  | { type: "environment.rollback_failed" }
  | { type: "environment.destroyed" }
  | { type: "environment.destroy_failed"; error: unknown }
  | { type: "operation.completed"; requestId: string; output: unknown }
  | { type: "operation.failed"; requestId: string; error: unknown };

interface EnvironmentContext {
  config: Partial<EnvironmentConfig>;
  environment: EnvironmentInfo | undefined;
  /** The snapshot or rollback under way. */
  request: { requestId: string; tag?: string; snapshot?: string } | undefined;
  /** Ids of the operations under way. */
  running: string[];
  /** Requests that have not begun, in the order in which they came. */
  waiting: EnvironmentRequest[];
  error: unknown;
}

/** Limit in ms on a snapshot or a rollback. */
const saveLimitMs = 600_000;

/** Limit in ms on destroying; leftovers are reported, and `pth clean` tries again. */
export const destroyLimitMs = 120_000;

interface Answer {
  requestId: string;
}

const tellSession = (fact: EnvironmentFact) => fact;
const operationPrefix = "operation-";
const operationActor = (requestId: string) => `${operationPrefix}${requestId}`;
/** Named as the platform names it, so that it is known as no fault. */
const stopped = (why: string): Error =>
  Object.assign(new Error(`Cannot finish operation: ${why}`), { name: "AbortError" });
const nextIs = (type: EnvironmentRequest["type"]) => ({ context }: { context: EnvironmentContext }) =>
  context.waiting[0]?.type === type;

/** Params of actions that take an error from an event. */
const itsError = ({ event }: { event: { error: unknown } }) => ({ error: event.error });
const timedOut = (work: string, limitMs: number) => ({
  error: Object.assign(
    new Error(`Cannot ${work}: it is not done after ${limitMs / 1000} s, and may go on`),
    { name: "TimeoutError" },
  ),
});
const unfinished = (work: string) => timedOut(work, saveLimitMs);
const tooLong = timedOut("destroy environment", destroyLimitMs);
/** Refuses operations while there is no environment, or soon will be none. */
const refusing = {
  "environment.perform": { actions: "refuseNew" },
  "environment.snapshot": { actions: "refuseNew" },
  "environment.rollback": { actions: "refuseNew" },
} as const;

export const environmentMachine = setup({
  types: {
    context: {} as EnvironmentContext,
    input: {} as { config: Partial<EnvironmentConfig> },
    events: {} as EnvironmentEvent,
  },
  actors: {
    provision: slot<ProvisionedEnvironment, { config: Partial<EnvironmentConfig> }>("environment.provision"),
    /** Sends back `operation.completed` or `operation.failed`; stopping it aborts the work. */
    perform: callbackActor<{ environment: EnvironmentInfo; operation: Operation }>("environment.perform"),
    snapshot: slot<string, { environment: EnvironmentInfo; tag: string }>("environment.snapshot"),
    rollback: slot<EnvironmentInfo, { environment: EnvironmentInfo; snapshot: string }>(
      "environment.rollback",
    ),
    /** Destroys the environment; waits for a provisioning that was cancelled, too. */
    destroy: slot<void, { environment: EnvironmentInfo | undefined }>("environment.destroy"),
  },
  delays: { saving: saveLimitMs, destroying: destroyLimitMs },
  actions: {
    keepWaiting: assign({
      waiting: ({ context, event }) => [...context.waiting, event as EnvironmentRequest],
    }),
    startOperation: enqueueActions(({ context: { environment, running, waiting }, enqueue }) => {
      const [{ type: _type, ...operation }, ...rest] = waiting as [Performance, ...EnvironmentRequest[]];
      const { requestId } = operation;
      enqueue.assign({ waiting: rest, running: [...running, requestId] });
      enqueue.spawnChild("perform", {
        id: operationActor(requestId),
        input: { environment: environment!, operation },
      });
    }),
    takeRequest: assign(({ context: { waiting: [request, ...waiting] } }) => ({
      request: request!,
      waiting,
    })),
    /** Passes on what an operation came to; one that was answered before is answered no more. */
    endOperation: enqueueActions(({ context: { running }, enqueue }, fact: EnvironmentFact & Answer) => {
      if (!running.includes(fact.requestId)) return;
      enqueue.assign({ running: running.filter((id) => id !== fact.requestId) });
      enqueue.stopChild(operationActor(fact.requestId));
      enqueue.sendTo(parentRef, tellSession(fact));
    }),
    /** A snapshot or rollback that is under way ends by itself. */
    cancelOperation: enqueueActions(({ context, enqueue }, { requestId }: { requestId: string }) => {
      const { running, waiting } = context;
      const request = waiting.find((one) => one.requestId === requestId);
      if (request === undefined && !running.includes(requestId)) return;
      enqueue.stopChild(operationActor(requestId));
      enqueue.assign({
        running: running.filter((id) => id !== requestId),
        waiting: waiting.filter((one) => one !== request),
      });
      if (request?.type === "environment.rollback") {
        enqueue.sendTo(parentRef, tellSession({ type: "environment.rollback_failed" }));
      }
      const error = stopped("it was cancelled");
      enqueue.sendTo(parentRef, tellSession({ type: "operation.failed", requestId, error }));
    }),
    /** Ends all that is under way, and answers all that was asked. */
    refuseAll: enqueueActions(({ context: { request, running, waiting }, enqueue }) => {
      for (const requestId of running) enqueue.stopChild(operationActor(requestId));
      const asked = [...running, ...[request ?? [], waiting].flat().map(({ requestId }) => requestId)];
      enqueue.assign({ request: undefined, running: [], waiting: [] });
      const error = stopped("the environment is being destroyed");
      for (const requestId of asked) {
        enqueue.sendTo(parentRef, tellSession({ type: "operation.failed", requestId, error }));
      }
    }),
    refuseNew: sendTo(
      parentRef,
      ({ event }) =>
        tellSession({
          type: "operation.failed",
          requestId: (event as EnvironmentRequest).requestId,
          error: stopped("there is no environment"),
        }),
    ),
    tellNoRollback: sendTo(parentRef, tellSession({ type: "environment.rollback_failed" })),
    tellFailure: sendTo(
      parentRef,
      (_, { error }: { error: unknown }) => tellSession({ type: "environment.destroy_failed", error }),
    ),
    /** Answers the snapshot or rollback that was asked for. */
    answer: sendTo(
      parentRef,
      ({ context }, { output }: { output: unknown }) =>
        tellSession({ type: "operation.completed", requestId: context.request!.requestId, output }),
    ),
    refuse: sendTo(
      parentRef,
      ({ context }, { error }: { error: unknown }) =>
        tellSession({ type: "operation.failed", requestId: context.request!.requestId, error }),
    ),
  },
  guards: {
    isThere: ({ context }) => context.environment !== undefined,
    nextIsOperation: nextIs("environment.perform"),
    nextIsSnapshot: nextIs("environment.snapshot"),
    nextIsRollback: nextIs("environment.rollback"),
  },
}).createMachine({
  id: "environment",
  description: "One environment from its making to its end.",
  context: ({ input }) => ({
    config: input.config,
    environment: undefined,
    request: undefined,
    running: [],
    waiting: [],
    error: undefined,
  }),
  initial: "absent",
  on: {
    "environment.perform": { actions: "keepWaiting" },
    "environment.snapshot": { actions: "keepWaiting" },
    "environment.rollback": { actions: "keepWaiting" },
    "environment.cancel_operation": {
      actions: { type: "cancelOperation", params: ({ event: { requestId } }) => ({ requestId }) },
    },
    "operation.completed": { actions: { type: "endOperation", params: ({ event }) => event } },
    "operation.failed": { actions: { type: "endOperation", params: ({ event }) => event } },
    "xstate.error.actor.*": {
      actions: {
        type: "endOperation",
        params: ({ event: { actorId, error } }) => ({
          type: "operation.failed",
          requestId: actorId.slice(operationPrefix.length),
          error,
        }),
      },
    },
    "environment.destroy": ".destroying",
  },
  states: {
    absent: {
      on: { ...refusing, "environment.provision": "provisioning", "environment.destroy": "destroyed" },
    },
    provisioning: {
      invoke: {
        src: "provision",
        input: ({ context }) => ({ config: context.config }),
        onDone: {
          target: "ready",
          actions: [
            assign({ environment: ({ event }) => event.output.environment }),
            sendTo(
              parentRef,
              ({ event }) => tellSession({ type: "environment.provisioned", ...event.output }),
            ),
          ],
        },
        onError: {
          target: "failed",
          actions: [
            assign({ error: ({ event }) => event.error }),
            sendTo(
              parentRef,
              ({ event }) => tellSession({ type: "environment.provision_failed", error: event.error }),
            ),
          ],
        },
      },
    },
    ready: {
      entry: assign({ request: undefined }),
      always: [
        { guard: "nextIsOperation", actions: "startOperation" },
        { guard: "nextIsSnapshot", target: "snapshotting", actions: "takeRequest" },
        { guard: "nextIsRollback", target: "rollingBack", actions: "takeRequest" },
      ],
    },
    snapshotting: {
      invoke: {
        src: "snapshot",
        input: ({ context }) => ({ environment: context.environment!, tag: context.request!.tag! }),
        onDone: {
          target: "ready",
          actions: { type: "answer", params: ({ event }) => ({ output: event.output }) },
        },
        onError: { target: "ready", actions: { type: "refuse", params: itsError } },
      },
      after: {
        saving: { target: "ready", actions: { type: "refuse", params: unfinished("take snapshot") } },
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
              parentRef,
              ({ event }) => tellSession({ type: "environment.rolled_back", environment: event.output }),
            ),
            { type: "answer", params: ({ event }) => ({ output: event.output }) },
          ],
        },
        onError: {
          target: "ready",
          actions: ["tellNoRollback", { type: "refuse", params: itsError }],
        },
      },
      after: {
        saving: {
          target: "ready",
          actions: ["tellNoRollback", { type: "refuse", params: unfinished("roll back") }],
        },
      },
    },
    failed: { entry: "refuseAll", on: refusing },
    destroying: {
      entry: "refuseAll",
      on: { ...refusing, "environment.destroy": {} },
      invoke: {
        src: "destroy",
        input: ({ context }) => ({ environment: context.environment }),
        onDone: "destroyed",
        // What could not be destroyed is still there.
        onError: [
          { guard: "isThere", target: "ready", actions: { type: "tellFailure", params: itsError } },
          { target: "destroyed", actions: { type: "tellFailure", params: itsError } },
        ],
      },
      after: {
        destroying: [
          { guard: "isThere", target: "ready", actions: { type: "tellFailure", params: tooLong } },
          { target: "destroyed", actions: { type: "tellFailure", params: tooLong } },
        ],
      },
    },
    destroyed: {
      type: "final",
      entry: sendTo(parentRef, tellSession({ type: "environment.destroyed" })),
    },
  },
});
