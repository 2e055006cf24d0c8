/**
 * One plugin in one environment: planned, installed, built, started, reloaded.
 *
 * Started by the session. Owns the pool of its server's instances. A reload goes the way of the first load: planned,
 * installed and built anew. Only then is the old server stopped, so that what fails before loses nothing.
 */
import { type ActorRefFrom, assign, enqueueActions, sendTo, setup, stopChild } from "xstate";
import type { OpenedConnection } from "./connection_machine.ts";
import type { EnvironmentHandle } from "./model/environment.ts";
import type { CloseReport, PluginPlan } from "./model/plugin.ts";
import { type PoolFact, poolMachine } from "./pool_machine.ts";
import { parentRef } from "./parent_ref.ts";
import { slot } from "./slot.ts";

/** Who grants leases of the plugin's servers. */
export type PoolRef = ActorRefFrom<typeof poolMachine>;

/** What replaces the session's own answers. */
export interface LoadRequest {
  build?: string;
  install?: string;
  command?: string[];
  server?: string;
  configValues?: Record<string, string>;
  /** Limit for the server's start and handshake. */
  startTimeoutSeconds?: number;
  /** Not the plugin under test, but this dependency of it. */
  dependency?: string;
}

export interface PluginInput {
  environment: EnvironmentHandle;
  load: LoadRequest;
}

export type PluginEvent =
  | { type: "plugin.reload" }
  /** Gives a reload up while the old server still runs. */
  | { type: "plugin.cancel_reload" }
  /** A rollback begins, which ends the servers, or it failed. */
  | { type: "plugin.rest" }
  | { type: "plugin.wake" }
  | { type: "plugin.stop" }
  | PoolFact;

/** What the session hears. */
export type PluginFact =
  | ({ type: "plugin.started"; plan: PluginPlan; pool: PoolRef } & OpenedConnection)
  | { type: "plugin.failed"; error: unknown }
  | ({ type: "plugin.reloaded"; plan: PluginPlan; pool: PoolRef; closed: CloseReport[] } & OpenedConnection)
  | { type: "plugin.reload_failed"; error: unknown; serverRuns: boolean }
  | { type: "plugin.stopped"; closed: CloseReport[] };

interface PluginContext extends PluginInput {
  /** What a load or a reload prepares; becomes `plan` once it is built. */
  draft: PluginPlan | undefined;
  /** What the server runs from. */
  plan: PluginPlan | undefined;
  pool: PoolRef | undefined;
  opened: OpenedConnection | undefined;
  closed: CloseReport[];
  reloading: boolean;
  error: unknown;
}

export interface PlannedInput {
  environment: EnvironmentHandle;
  plan: PluginPlan;
}

const tellSession = (fact: PluginFact) => fact;

/** Params of actions that take an error from an event. */
const itsError = ({ event }: { event: { error: unknown } }) => ({ error: event.error });

/** Until the old server is asked to stop, a failure leaves it as it is. */
const failedBeforeStart = [
  { guard: "hasPool", target: "ready", actions: { type: "refuseReload", params: itsError } },
  { target: "failed", actions: { type: "noteError", params: itsError } },
] as const;

const cancel = {
  guard: "hasPool",
  target: "ready",
  actions: {
    type: "refuseReload",
    params: () => ({ error: new Error("Cannot finish reloading: it was cancelled") }),
  },
} as const;

export const pluginMachine = setup({
  types: {
    context: {} as PluginContext,
    input: {} as PluginInput,
    events: {} as PluginEvent,
  },
  actors: {
    plan: slot<PluginPlan, PluginInput>("plugin.plan"),
    /** Resolves to the plan with what only the installed files tell. */
    install: slot<PluginPlan, PlannedInput>("plugin.install"),
    /** Resolves to the plan with a start command. */
    build: slot<PluginPlan, PlannedInput>("plugin.build"),
    pool: poolMachine,
  },
  actions: {
    openPool: assign({
      pool: ({ context, spawn }) => spawn("pool", { id: "pool", input: { plan: context.plan! } }),
    }),
    adoptDraft: assign({ plan: (_, { plan }: { plan: PluginPlan }) => plan, draft: undefined }),
    noteError: assign({ error: (_, { error }: { error: unknown }) => error }),
    /** The old server has noticed nothing. */
    refuseReload: enqueueActions(({ enqueue }, { error }: { error: unknown }) => {
      enqueue.assign({ error, draft: undefined });
      enqueue.sendTo(parentRef, tellSession({ type: "plugin.reload_failed", error, serverRuns: true }));
    }),
    restPool: sendTo(({ context }) => context.pool!, { type: "pool.rest" }),
    wakePool: sendTo(({ context }) => context.pool!, { type: "pool.wake" }),
    closePool: sendTo(({ context }) => context.pool!, { type: "pool.close" }),
    dropPool: stopChild("pool"),
  },
  guards: {
    hasPool: ({ context }) => context.pool !== undefined,
    isReload: ({ context }) => context.reloading,
  },
}).createMachine({
  id: "plugin",
  description: "One plugin in one environment: planned, installed, built, started, reloaded.",
  context: ({ input }) => ({
    ...input,
    draft: undefined,
    plan: undefined,
    pool: undefined,
    opened: undefined,
    closed: [],
    reloading: false,
    error: undefined,
  }),
  initial: "planning",
  on: {
    "plugin.rest": { guard: "hasPool", actions: "restPool" },
    "plugin.wake": { guard: "hasPool", actions: "wakePool" },
    "plugin.stop": [{ guard: "hasPool", target: ".stopping" }, { target: ".stopped" }],
  },
  states: {
    planning: {
      on: { "plugin.cancel_reload": cancel },
      invoke: {
        src: "plan",
        input: ({ context }) => ({ environment: context.environment, load: context.load }),
        onDone: { target: "installing", actions: assign({ draft: ({ event }) => event.output }) },
        onError: failedBeforeStart,
      },
    },
    installing: {
      on: { "plugin.cancel_reload": cancel },
      invoke: {
        src: "install",
        input: ({ context }) => ({ environment: context.environment, plan: context.draft! }),
        onDone: { target: "building", actions: assign({ draft: ({ event }) => event.output }) },
        onError: failedBeforeStart,
      },
    },
    building: {
      on: { "plugin.cancel_reload": cancel },
      invoke: {
        src: "build",
        input: ({ context }) => ({ environment: context.environment, plan: context.draft! }),
        onDone: [
          {
            guard: "hasPool",
            target: "swapping",
            actions: { type: "adoptDraft", params: ({ event }) => ({ plan: event.output }) },
          },
          {
            target: "starting",
            actions: { type: "adoptDraft", params: ({ event }) => ({ plan: event.output }) },
          },
        ],
        onError: failedBeforeStart,
      },
    },
    starting: {
      entry: "openPool",
      on: {
        "pool.opened": [
          {
            guard: "isReload",
            target: "ready",
            actions: [
              assign({ opened: ({ event: { server, pid, tools } }) => ({ server, pid, tools }) }),
              sendTo(parentRef, ({ context }) =>
                tellSession({
                  type: "plugin.reloaded",
                  plan: context.plan!,
                  pool: context.pool!,
                  closed: context.closed,
                  ...context.opened!,
                })),
            ],
          },
          {
            target: "ready",
            actions: [
              assign({ opened: ({ event: { server, pid, tools } }) => ({ server, pid, tools }) }),
              sendTo(
                parentRef,
                ({ context }) =>
                  tellSession({
                    type: "plugin.started",
                    plan: context.plan!,
                    pool: context.pool!,
                    ...context.opened!,
                  }),
              ),
            ],
          },
        ],
        "pool.failed": { target: "failed", actions: assign({ error: ({ event }) => event.error }) },
      },
    },
    ready: {
      entry: assign({ reloading: false, closed: [] }),
      on: {
        "plugin.reload": { target: "planning", actions: assign({ reloading: true, error: undefined }) },
      },
    },
    swapping: {
      entry: "closePool",
      on: {
        "pool.closed": {
          target: "starting",
          actions: ["dropPool", assign({ pool: undefined, closed: ({ event }) => event.reports })],
        },
      },
    },
    failed: {
      entry: [
        sendTo(parentRef, ({ context }) =>
          tellSession(
            context.reloading
              ? { type: "plugin.reload_failed", error: context.error, serverRuns: false }
              : { type: "plugin.failed", error: context.error },
          )),
        "dropPool",
        assign({ pool: undefined, reloading: false }),
      ],
    },
    stopping: {
      entry: "closePool",
      on: {
        "plugin.stop": {},
        "pool.closed": {
          target: "stopped",
          actions: ["dropPool", assign({ pool: undefined, closed: ({ event }) => event.reports })],
        },
      },
    },
    stopped: {
      type: "final",
      entry: sendTo(
        parentRef,
        ({ context }) => tellSession({ type: "plugin.stopped", closed: context.closed }),
      ),
    },
  },
});
