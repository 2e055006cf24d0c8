/**
 * One plugin in one environment: planned, installed, built, started, reloaded (PTH design §5.2).
 *
 * Started by the session. Owns the pool of its server's instances. A reload builds first and stops the old server only
 * after the build succeeded, so that a failed build loses nothing.
 */
import { type ActorRefFrom, assign, sendTo, setup, stopChild } from "xstate";
import type { Opened } from "./connection_machine.ts";
import type { EnvironmentHandle } from "./model/environment.ts";
import type { CloseReport, PluginPlan } from "./model/plugin.ts";
import { type PoolFact, poolMachine } from "./pool_machine.ts";
import { parentOf } from "./parent_of.ts";
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
}

export interface PluginInput {
  environment: EnvironmentHandle;
  load: LoadRequest;
}

export type PluginEvent =
  | { type: "plugin.reload" }
  /** New server instances of the same build. */
  | { type: "plugin.restart" }
  | { type: "plugin.stop" }
  | PoolFact;

/** What the session hears. */
export type PluginFact =
  | ({ type: "plugin.started"; plan: PluginPlan; pool: PoolRef } & Opened)
  | { type: "plugin.failed"; error: unknown }
  | ({ type: "plugin.reloaded"; plan: PluginPlan; pool: PoolRef; closed: CloseReport[] } & Opened)
  | { type: "plugin.reload_failed"; error: unknown; serverRuns: boolean }
  | { type: "plugin.stopped"; closed: CloseReport[] };

interface PluginContext extends PluginInput {
  plan: PluginPlan | undefined;
  pool: PoolRef | undefined;
  opened: Opened | undefined;
  closed: CloseReport[];
  reloading: boolean;
  error: unknown;
}

export interface PlannedInput {
  environment: EnvironmentHandle;
  plan: PluginPlan;
}

const tellSession = (fact: PluginFact) => fact;

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
    closePool: sendTo(({ context }) => context.pool!, { type: "pool.close" }),
    dropPool: stopChild("pool"),
  },
  guards: {
    hasPool: ({ context }) => context.pool !== undefined,
    isReload: ({ context }) => context.reloading,
  },
}).createMachine({
  id: "plugin",
  context: ({ input }) => ({
    ...input,
    plan: undefined,
    pool: undefined,
    opened: undefined,
    closed: [],
    reloading: false,
    error: undefined,
  }),
  initial: "planning",
  on: {
    "plugin.stop": [{ guard: "hasPool", target: ".stopping" }, { target: ".stopped" }],
  },
  states: {
    planning: {
      invoke: {
        src: "plan",
        input: ({ context }) => ({ environment: context.environment, load: context.load }),
        onDone: { target: "installing", actions: assign({ plan: ({ event }) => event.output }) },
        onError: { target: "failed", actions: assign({ error: ({ event }) => event.error }) },
      },
    },
    installing: {
      invoke: {
        src: "install",
        input: ({ context }) => ({ environment: context.environment, plan: context.plan! }),
        onDone: { target: "building", actions: assign({ plan: ({ event }) => event.output }) },
        onError: { target: "failed", actions: assign({ error: ({ event }) => event.error }) },
      },
    },
    building: {
      invoke: {
        src: "build",
        input: ({ context }) => ({ environment: context.environment, plan: context.plan! }),
        onDone: { target: "starting", actions: assign({ plan: ({ event }) => event.output }) },
        onError: { target: "failed", actions: assign({ error: ({ event }) => event.error }) },
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
              sendTo(parentOf, ({ context }) =>
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
                parentOf,
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
      entry: assign({ reloading: false, closed: [], error: undefined }),
      on: {
        "plugin.reload": { target: "rebuilding", actions: assign({ reloading: true }) },
        "plugin.restart": { target: "swapping", actions: assign({ reloading: true }) },
      },
    },
    rebuilding: {
      invoke: {
        src: "build",
        input: ({ context }) => ({ environment: context.environment, plan: context.plan! }),
        onDone: { target: "swapping", actions: assign({ plan: ({ event }) => event.output }) },
        onError: {
          target: "ready",
          actions: [
            assign({ error: ({ event }) => event.error }),
            sendTo(
              parentOf,
              ({ event }) =>
                tellSession({ type: "plugin.reload_failed", error: event.error, serverRuns: true }),
            ),
          ],
        },
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
        sendTo(parentOf, ({ context }) =>
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
        parentOf,
        ({ context }) => tellSession({ type: "plugin.stopped", closed: context.closed }),
      ),
    },
  },
});
