/**
 * One plugin in one environment: planned, installed, built, started, reloaded.
 *
 * Started by the session. Owns the pool of its server's instances. A reload repeats the steps of the first load: plan, install,
 * build. Only then is the old server stopped, so that a failure before that loses nothing.
 */
import {
  type ActorRefFrom,
  assign,
  enqueueActions,
  sendTo,
  setup,
  type StateValueFrom,
  stopChild,
} from "xstate";
import { cancelledError } from "./cancelled_error.ts";
import type { OpenedConnection } from "./connection_machine.ts";
import type { EnvironmentHandle } from "./model/environment.ts";
import type { CloseReport, PluginPlan, ToolDefinition } from "./model/plugin.ts";
import type { PluginInfo } from "./model/session.ts";
import type { PoolFact } from "./pool/pool_events.ts";
import { poolMachine } from "./pool_machine.ts";
import { parentRef } from "./parent_ref.ts";
import { slot } from "./slot.ts";

/** Pool that grants leases of the plugin's servers. */
export type PoolRef = ActorRefFrom<typeof poolMachine>;

/** Request that replaces the session's own options. */
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
  readonly environment: EnvironmentHandle;
  readonly load: LoadRequest;
  /** Servers are measured for coverage; default: false. */
  readonly coverage?: boolean;
}

export type PluginEvent =
  /** `coverage`: from now on; default: as before. */
  | { type: "plugin.reload"; coverage?: boolean }
  /** Gives a reload up: the old server runs on, or none does where it was asked to end already. */
  | { type: "plugin.cancel_reload" }
  /** A rollback begins, which ends the servers, or it failed. */
  | { type: "plugin.rest" }
  | { type: "plugin.wake" }
  | { type: "plugin.stop" }
  | PoolFact;

/** Facts for the session. */
export type PluginFact =
  | ({ type: "plugin.started"; plan: PluginPlan; pool: PoolRef } & OpenedConnection)
  | { type: "plugin.failed"; error: unknown }
  /** `before`: the tools that it listed before the reload. */
  | ({
    type: "plugin.reloaded";
    plan: PluginPlan;
    pool: PoolRef;
    closed: CloseReport[];
    before: ToolDefinition[];
  } & OpenedConnection)
  | { type: "plugin.reload_failed"; error: unknown; serverRuns: boolean; before: ToolDefinition[] }
  | { type: "plugin.stopped"; closed: CloseReport[] };

interface PluginContext extends Omit<PluginInput, "coverage"> {
  /** Servers of plans that are built from now on are measured. */
  coverage: boolean;
  /** Plan that a load or a reload prepares; becomes `plan` once it is built. */
  draft: PluginPlan | undefined;
  /** Plan that the server runs from. */
  plan: PluginPlan | undefined;
  /** The plugin as its server came up the last time: a reload that fails before it stops that server leaves it as it is. */
  running: PluginInfo | undefined;
  pool: PoolRef | undefined;
  /** Reports of the servers that were closed last. */
  closed: CloseReport[];
  /** Error of the latest load or reload, if it failed. */
  error: unknown;
}

export interface PlannedInput {
  environment: EnvironmentHandle;
  plan: PluginPlan;
  /** Servers of the plan are to be measured. */
  coverage: boolean;
}

const tellSession = (fact: PluginFact) => fact;

const pluginSetup = setup({
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
    keepDraft: assign({ draft: (_, { plan }: { plan: PluginPlan }) => plan }),
    adoptDraft: assign({ plan: (_, { plan }: { plan: PluginPlan }) => plan, draft: undefined }),
    keepError: assign({ error: (_, { error }: { error: unknown }) => error }),
    clearError: assign({ error: undefined }),
    refuseReload: enqueueActions(({ context, enqueue }, { error }: { error: unknown }) => {
      enqueue.assign({ error, draft: undefined });
      const before = context.running!.tools;
      enqueue.sendTo(
        parentRef,
        tellSession({ type: "plugin.reload_failed", error, serverRuns: true, before }),
      );
    }),
    openPool: assign({
      pool: ({ context, spawn }) => spawn("pool", { id: "pool", input: { plan: context.plan! } }),
    }),
    restPool: sendTo(({ context }) => context.pool!, { type: "pool.rest" }),
    wakePool: sendTo(({ context }) => context.pool!, { type: "pool.wake" }),
    closePool: sendTo(({ context }) => context.pool!, { type: "pool.close" }),
    dropPool: stopChild("pool"),
    forgetPool: assign({ pool: undefined }),
    keepReports: assign({ closed: (_, { reports }: { reports: CloseReport[] }) => reports }),
    noteRunning: assign({
      running: ({ context }, { server, tools }: OpenedConnection) => ({ plan: context.plan!, server, tools }),
    }),
    tellStarted: sendTo(
      parentRef,
      ({ context }, opened: OpenedConnection) =>
        tellSession({ type: "plugin.started", plan: context.plan!, pool: context.pool!, ...opened }),
    ),
    tellFailed: sendTo(
      parentRef,
      (_, { error }: { error: unknown }) => tellSession({ type: "plugin.failed", error }),
    ),
    tellReloaded: sendTo(parentRef, ({ context }, opened: OpenedConnection) =>
      tellSession({
        type: "plugin.reloaded",
        plan: context.plan!,
        pool: context.pool!,
        closed: context.closed,
        before: context.running!.tools,
        ...opened,
      })),
    tellReloadFailed: sendTo(
      parentRef,
      ({ context }, { error }: { error: unknown }) =>
        tellSession({
          type: "plugin.reload_failed",
          error,
          serverRuns: false,
          before: context.running!.tools,
        }),
    ),
    tellStopped: sendTo(
      parentRef,
      ({ context }) => tellSession({ type: "plugin.stopped", closed: context.closed }),
    ),
  },
});

/** Params of actions that take the plan from a slot's answer. */
const itsPlan = ({ event }: { event: { output: PluginPlan } }) => ({ plan: event.output });
const itsError = ({ event }: { event: { error: unknown } }) => ({ error: event.error });
const itsServer = ({ event: { server, pid, tools } }: { event: OpenedConnection }) => ({
  server,
  pid,
  tools,
});
const itsReports = ({ event }: { event: { reports: CloseReport[] } }) => ({ reports: event.reports });

const planInput = ({ context: { environment, load } }: { context: PluginContext }) => ({ environment, load });
const draftInput = ({ context }: { context: PluginContext }) => ({
  environment: context.environment,
  plan: context.draft!,
  coverage: context.coverage,
});

const loadFailed = {
  target: "#plugin.failed",
  actions: [{ type: "keepError", params: itsError }, { type: "tellFailed", params: itsError }],
} as const;

/** Until the old server is asked to stop, a failure leaves it as it is. */
const reloadRefused = {
  target: "#plugin.ready",
  actions: { type: "refuseReload", params: itsError },
} as const;

const itsCancel = () => ({ error: cancelledError("reloading") });

const reloadCancelled = {
  target: "#plugin.ready",
  actions: { type: "refuseReload", params: itsCancel },
} as const;

const loading = pluginSetup.createStateConfig({
  initial: "planning",
  on: { "plugin.stop": "stopped" },
  states: {
    planning: {
      invoke: {
        src: "plan",
        input: planInput,
        onDone: { target: "installing", actions: { type: "keepDraft", params: itsPlan } },
        onError: loadFailed,
      },
    },
    installing: {
      invoke: {
        src: "install",
        input: draftInput,
        onDone: { target: "building", actions: { type: "keepDraft", params: itsPlan } },
        onError: loadFailed,
      },
    },
    building: {
      invoke: {
        src: "build",
        input: draftInput,
        onDone: { target: "starting", actions: { type: "adoptDraft", params: itsPlan } },
        onError: loadFailed,
      },
    },
    starting: {
      entry: "openPool",
      on: {
        "pool.opened": {
          target: "#plugin.ready",
          actions: [{ type: "noteRunning", params: itsServer }, { type: "tellStarted", params: itsServer }],
        },
        "pool.failed": loadFailed,
        "plugin.stop": "#plugin.stopping",
      },
    },
  },
});

const reloading = pluginSetup.createStateConfig({
  initial: "planning",
  on: { "plugin.stop": "stopping" },
  states: {
    planning: {
      on: { "plugin.cancel_reload": reloadCancelled },
      invoke: {
        src: "plan",
        input: planInput,
        onDone: { target: "installing", actions: { type: "keepDraft", params: itsPlan } },
        onError: reloadRefused,
      },
    },
    installing: {
      on: { "plugin.cancel_reload": reloadCancelled },
      invoke: {
        src: "install",
        input: draftInput,
        onDone: { target: "building", actions: { type: "keepDraft", params: itsPlan } },
        onError: reloadRefused,
      },
    },
    building: {
      on: { "plugin.cancel_reload": reloadCancelled },
      invoke: {
        src: "build",
        input: draftInput,
        onDone: { target: "swapping", actions: { type: "adoptDraft", params: itsPlan } },
        onError: reloadRefused,
      },
    },
    swapping: {
      entry: "closePool",
      on: {
        "plugin.cancel_reload": "abandoning",
        "pool.closed": {
          target: "starting",
          actions: ["dropPool", "forgetPool", { type: "keepReports", params: itsReports }],
        },
      },
    },
    starting: {
      entry: "openPool",
      on: {
        "pool.opened": {
          target: "#plugin.ready",
          actions: [{ type: "tellReloaded", params: itsServer }, { type: "noteRunning", params: itsServer }],
        },
        "pool.failed": {
          target: "#plugin.failed",
          actions: [{ type: "keepError", params: itsError }, { type: "tellReloadFailed", params: itsError }],
        },
        "plugin.cancel_reload": "abandoning",
      },
    },
    /** The old server was asked to end, which cannot be taken back: none is started, and it is answered once none runs. */
    abandoning: {
      entry: "closePool",
      on: {
        "pool.closed": {
          target: "#plugin.failed",
          actions: [
            { type: "keepError", params: itsCancel },
            { type: "tellReloadFailed", params: itsCancel },
          ],
        },
      },
    },
  },
});

export const pluginMachine = pluginSetup.createMachine({
  id: "plugin",
  description: "One plugin in one environment: planned, installed, built, started, reloaded.",
  context: ({ input }) => ({
    ...input,
    coverage: input.coverage ?? false,
    draft: undefined,
    plan: undefined,
    running: undefined,
    pool: undefined,
    closed: [],
    error: undefined,
  }),
  initial: "loading",
  states: {
    loading,
    ready: {
      entry: { type: "keepReports", params: { reports: [] } },
      on: {
        "plugin.reload": {
          target: "reloading",
          actions: [
            "clearError",
            assign({ coverage: ({ context, event }) => event.coverage ?? context.coverage }),
          ],
        },
        "plugin.rest": { actions: "restPool" },
        "plugin.wake": { actions: "wakePool" },
        "plugin.stop": "stopping",
      },
    },
    reloading,
    failed: {
      entry: ["dropPool", "forgetPool"],
      on: { "plugin.stop": "stopped" },
    },
    stopping: {
      entry: "closePool",
      on: {
        "pool.closed": {
          target: "stopped",
          actions: ["dropPool", "forgetPool", { type: "keepReports", params: itsReports }],
        },
      },
    },
    stopped: { type: "final", entry: "tellStopped" },
  },
});

/** Names the innermost state: "planning" during a load as during a reload. */
export const pluginStateName = (value: StateValueFrom<typeof pluginMachine>): string =>
  typeof value === "string" ? value : Object.values(value)[0]!;
