/**
 * One session: its source, its environment, its plugin, its suite (PTH design §3, §5.6).
 *
 * Started by the harness; parent of the environment, the plugin, the suite and single calls. Requests carry an id and are
 * answered by `request.completed` or `request.failed` with that id. Whatever happens, the end goes through the same
 * steps in the same order: suite, plugin, environment, source.
 */
import { type ActorRefFrom, assign, emit, enqueueActions, sendTo, setup, stateIn, stopChild } from "xstate";
import { type CallFact, callMachine } from "./call_machine.ts";
import { type EnvironmentFact, environmentMachine, type Operation } from "./environment_machine.ts";
import type { EnvironmentConfig } from "./model/environment.ts";
import type { PlannedTest, RunRules } from "./model/observation.ts";
import type { EnvironmentInfo, SessionSource, Target } from "./model/session.ts";
import { type LoadRequest, type PluginFact, pluginMachine } from "./plugin_machine.ts";
import { parentOf } from "./parent_of.ts";
import { slot } from "./slot.ts";
import { type SuiteFact, suiteMachine } from "./suite_machine.ts";

export interface SessionInput {
  sessionId: string;
  /** Without secrets: only the names are here. */
  target: Target;
  mode: "run" | "session";
  force: boolean;
}

export interface SessionEnd {
  branch: string | undefined;
  branchKept: boolean;
  commits: number;
  leftBehind: string[];
  kept: string[];
}

interface Requested {
  requestId: string;
}

export type SessionRequest =
  | ({ type: "session.provision"; config: Partial<EnvironmentConfig> } & Requested)
  | ({ type: "session.destroy_environment" } & Requested)
  | ({ type: "session.perform" } & Operation)
  | ({ type: "session.snapshot"; tag: string } & Requested)
  | ({ type: "session.rollback"; snapshot: string } & Requested)
  | ({ type: "session.load"; load: LoadRequest } & Requested)
  | ({ type: "session.reload" } & Requested)
  /** New server instances, without a build. */
  | ({ type: "session.restart" } & Requested)
  | ({ type: "session.unload" } & Requested)
  | ({ type: "session.call"; tool: string; input: Record<string, unknown> } & Requested)
  | ({
    type: "session.run_suite";
    tests: PlannedTest[];
    workers: number;
    rules: RunRules;
    bail: number | undefined;
  } & Requested)
  | { type: "session.cancel_suite" }
  | { type: "session.cancel_provision" }
  | { type: "session.cancel_load" }
  | { type: "session.cancel_operation"; operationId: string }
  | { type: "session.cancel_call"; callId: string }
  | { type: "session.end"; keep: boolean };

export type SessionEvent = SessionRequest | EnvironmentFact | PluginFact | SuiteFact | CallFact;

/** What the outside hears. */
export type SessionFact =
  | { type: "session.opened"; source: SessionSource }
  | { type: "session.open_failed"; error: unknown }
  | { type: "session.ended"; end: SessionEnd }
  | { type: "request.completed"; requestId: string; result: unknown }
  | { type: "request.failed"; requestId: string; error: unknown }
  | { type: "environment.destroy_failed"; error: unknown }
  | SuiteFact;

/** What the harness hears. */
export type SessionLife =
  | { type: "harness.session_opened" }
  | { type: "harness.session_ended"; end: SessionEnd; error: unknown };

interface SessionContext extends SessionInput {
  source: SessionSource | undefined;
  error: unknown;
  keep: boolean;
  environment: ActorRefFrom<typeof environmentMachine> | undefined;
  environmentInfo: EnvironmentInfo | undefined;
  plugin: ActorRefFrom<typeof pluginMachine> | undefined;
  /** Requests under way, one for each part. */
  pending: { environment?: string; plugin?: string; suite?: string };
  end: SessionEnd | undefined;
}

const fact = (fact: SessionFact) => fact;
const callActor = (requestId: string) => `call-${requestId}`;

export const sessionMachine = setup({
  types: {
    context: {} as SessionContext,
    input: {} as SessionInput,
    events: {} as SessionEvent,
    emitted: {} as SessionFact,
  },
  actors: {
    prepareSource: slot<SessionSource, SessionInput>("session.prepare_source"),
    /** Removes what the session made; also what a cut-short preparation left. Never rejects. */
    release: slot<
      SessionEnd,
      {
        sessionId: string;
        source: SessionSource | undefined;
        environment: EnvironmentInfo | undefined;
        keep: boolean;
      }
    >("session.release"),
    environment: environmentMachine,
    plugin: pluginMachine,
    suite: suiteMachine,
    call: callMachine,
  },
  actions: {
    passOn: emit(({ event }) => event as SessionFact),
    reloadPlugin: sendTo(({ context }) => context.plugin!, { type: "plugin.reload" }),
    stopPlugin: sendTo(({ context }) => context.plugin!, { type: "plugin.stop" }),
    destroyEnvironment: sendTo(({ context }) => context.environment!, { type: "environment.destroy" }),
    dropPlugin: enqueueActions(({ enqueue }) => {
      enqueue.stopChild("plugin");
      enqueue.assign({ plugin: undefined });
    }),
    dropEnvironment: enqueueActions(({ enqueue }) => {
      enqueue.stopChild("environment");
      enqueue.assign({ environment: undefined, environmentInfo: undefined });
    }),
    interruptPending: enqueueActions(({ context, enqueue }) => {
      for (const requestId of Object.values(context.pending)) {
        if (requestId === undefined) continue;
        enqueue.emit(
          fact({
            type: "request.failed",
            requestId,
            error: new Error("Cannot go on: the session is ending"),
          }),
        );
      }
      enqueue.assign({ pending: {} });
    }),
  },
  guards: {
    environmentReady: stateIn({ open: { environment: "ready" } }),
    environmentIdle: stateIn({ open: { plugin: "absent" } }),
    pluginReady: stateIn({ open: { plugin: "ready" } }),
    suiteIdle: stateIn({ open: { suite: "idle" } }),
    hasPlugin: ({ context }) => context.plugin !== undefined,
    hasEnvironment: ({ context }) => context.environment !== undefined,
    keeps: ({ context }) => context.keep,
  },
}).createMachine({
  id: "session",
  context: ({ input }) => ({
    ...input,
    source: undefined,
    error: undefined,
    keep: false,
    environment: undefined,
    environmentInfo: undefined,
    plugin: undefined,
    pending: {},
    end: undefined,
  }),
  initial: "preparing",
  on: {
    "environment.destroy_failed": { actions: "passOn" },
  },
  states: {
    preparing: {
      invoke: {
        src: "prepareSource",
        input: ({ context: { sessionId, target, mode, force } }) => ({ sessionId, target, mode, force }),
        onDone: {
          target: "open",
          actions: [
            assign({ source: ({ event }) => event.output }),
            sendTo(parentOf, { type: "harness.session_opened" } satisfies SessionLife),
            emit(({ event }) => fact({ type: "session.opened", source: event.output })),
          ],
        },
        onError: {
          target: "ending.releasing",
          actions: [
            assign({ error: ({ event }) => event.error }),
            emit(({ event }) => fact({ type: "session.open_failed", error: event.error })),
          ],
        },
      },
      on: {
        "session.end": {
          target: "ending.releasing",
          actions: emit(
            fact({ type: "session.open_failed", error: new Error("Cannot start session: it was ended") }),
          ),
        },
      },
    },
    open: {
      type: "parallel",
      on: {
        "session.end": {
          target: "ending",
          actions: [assign({ keep: ({ event }) => event.keep }), "interruptPending"],
        },
        "operation.completed": {
          actions: emit(({ event: { requestId, output } }) =>
            fact({ type: "request.completed", requestId, result: output })
          ),
        },
        "operation.failed": {
          actions: emit(({ event: { requestId, error } }) =>
            fact({ type: "request.failed", requestId, error })
          ),
        },
        "environment.rolled_back": {
          actions: assign({ environmentInfo: ({ event }) => event.environment }),
        },
      },
      states: {
        environment: {
          initial: "absent",
          states: {
            absent: {
              on: {
                "session.provision": {
                  target: "provisioning",
                  actions: [
                    assign({
                      environment: ({ event, spawn }) =>
                        spawn("environment", { id: "environment", input: { config: event.config } }),
                      pending: ({ context, event }) => ({ ...context.pending, environment: event.requestId }),
                    }),
                    sendTo(({ context }) => context.environment!, { type: "environment.provision" }),
                  ],
                },
              },
            },
            provisioning: {
              on: {
                "session.cancel_provision": { actions: "destroyEnvironment" },
                "environment.destroyed": {
                  target: "absent",
                  actions: [
                    emit(({ context }) =>
                      fact({
                        type: "request.failed",
                        requestId: context.pending.environment!,
                        error: new Error("Cannot finish provisioning: it was cancelled"),
                      })
                    ),
                    "dropEnvironment",
                  ],
                },
                "environment.provisioned": {
                  target: "ready",
                  actions: [
                    emit(({ context, event }) =>
                      fact({
                        type: "request.completed",
                        requestId: context.pending.environment!,
                        result: event.environment,
                      })
                    ),
                    assign({ environmentInfo: ({ event }) => event.environment }),
                  ],
                },
                "environment.provision_failed": {
                  target: "absent",
                  actions: [
                    emit(({ context, event }) =>
                      fact({
                        type: "request.failed",
                        requestId: context.pending.environment!,
                        error: event.error,
                      })
                    ),
                    "dropEnvironment",
                  ],
                },
              },
            },
            ready: {
              on: {
                "session.cancel_operation": {
                  actions: sendTo(({ context }) => context.environment!, ({ event }) => ({
                    type: "environment.cancel_operation",
                    requestId: event.operationId,
                  })),
                },
                "session.perform": {
                  actions: sendTo(({ context }) => context.environment!, ({ event }) => ({
                    type: "environment.perform",
                    requestId: event.requestId,
                    kind: event.kind,
                    args: event.args,
                  })),
                },
                "session.snapshot": {
                  actions: sendTo(({ context }) => context.environment!, ({ event: { requestId, tag } }) => ({
                    type: "environment.snapshot",
                    requestId,
                    tag,
                  })),
                },
                "session.rollback": {
                  guard: "suiteIdle",
                  actions: sendTo(
                    ({ context }) => context.environment!,
                    ({ event: { requestId, snapshot } }) => ({
                      type: "environment.rollback",
                      requestId,
                      snapshot,
                    }),
                  ),
                },
                "session.destroy_environment": {
                  guard: "environmentIdle",
                  target: "destroying",
                  actions: [
                    assign({
                      pending: ({ context, event }) => ({ ...context.pending, environment: event.requestId }),
                    }),
                    "destroyEnvironment",
                  ],
                },
              },
            },
            destroying: {
              on: {
                "environment.destroyed": {
                  target: "absent",
                  actions: [
                    emit(({ context }) =>
                      fact({
                        type: "request.completed",
                        requestId: context.pending.environment!,
                        result: undefined,
                      })
                    ),
                    "dropEnvironment",
                  ],
                },
              },
            },
          },
        },
        plugin: {
          initial: "absent",
          states: {
            absent: {
              on: {
                "session.load": {
                  guard: "environmentReady",
                  target: "loading",
                  actions: assign({
                    plugin: ({ context, event, spawn }) =>
                      spawn("plugin", {
                        id: "plugin",
                        input: { environment: context.environmentInfo!.handle, load: event.load },
                      }),
                    pending: ({ context, event }) => ({ ...context.pending, plugin: event.requestId }),
                  }),
                },
              },
            },
            loading: {
              on: {
                "session.cancel_load": { actions: "stopPlugin" },
                "plugin.stopped": {
                  target: "absent",
                  actions: [
                    emit(({ context }) =>
                      fact({
                        type: "request.failed",
                        requestId: context.pending.plugin!,
                        error: new Error("Cannot finish loading: it was cancelled"),
                      })
                    ),
                    "dropPlugin",
                  ],
                },
                "plugin.started": {
                  target: "ready",
                  actions: emit(({ context, event: { plan, server, tools } }) =>
                    fact({
                      type: "request.completed",
                      requestId: context.pending.plugin!,
                      result: { plan, server, tools },
                    })
                  ),
                },
                "plugin.failed": {
                  target: "absent",
                  actions: [
                    emit(({ context, event }) =>
                      fact({
                        type: "request.failed",
                        requestId: context.pending.plugin!,
                        error: event.error,
                      })
                    ),
                    "dropPlugin",
                  ],
                },
              },
            },
            ready: {
              on: {
                "session.reload": {
                  guard: "suiteIdle",
                  target: "reloading",
                  actions: [
                    assign({
                      pending: ({ context, event }) => ({ ...context.pending, plugin: event.requestId }),
                    }),
                    "reloadPlugin",
                  ],
                },
                "session.restart": {
                  guard: "suiteIdle",
                  target: "reloading",
                  actions: [
                    assign({
                      pending: ({ context, event }) => ({ ...context.pending, plugin: event.requestId }),
                    }),
                    sendTo(({ context }) => context.plugin!, { type: "plugin.restart" }),
                  ],
                },
                "session.unload": {
                  guard: "suiteIdle",
                  target: "unloading",
                  actions: [
                    assign({
                      pending: ({ context, event }) => ({ ...context.pending, plugin: event.requestId }),
                    }),
                    "stopPlugin",
                  ],
                },
                "session.call": {
                  actions: enqueueActions(({ context, event: { requestId, tool, input }, enqueue }) => {
                    enqueue.spawnChild("call", {
                      id: callActor(requestId),
                      input: { requestId, tool, input, plugin: context.plugin! },
                    });
                  }),
                },
                "session.cancel_call": {
                  actions: sendTo(({ event }) => callActor(event.callId), { type: "call.cancel" }),
                },
                "call.finished": {
                  actions: [
                    emit(({ event: { requestId, outcome } }) =>
                      fact({ type: "request.completed", requestId, result: outcome })
                    ),
                    stopChild(({ event }) => callActor(event.requestId)),
                  ],
                },
                "call.broke": {
                  actions: [
                    emit(({ event: { requestId, error } }) =>
                      fact({ type: "request.failed", requestId, error })
                    ),
                    stopChild(({ event }) => callActor(event.requestId)),
                  ],
                },
              },
            },
            reloading: {
              on: {
                "plugin.reloaded": {
                  target: "ready",
                  actions: emit(({ context, event }) =>
                    fact({
                      type: "request.completed",
                      requestId: context.pending.plugin!,
                      result: {
                        plan: event.plan,
                        server: event.server,
                        tools: event.tools,
                        closed: event.closed,
                      },
                    })
                  ),
                },
                "plugin.reload_failed": [
                  {
                    guard: ({ event }) => event.serverRuns,
                    target: "ready",
                    actions: emit(({ context, event }) =>
                      fact({
                        type: "request.failed",
                        requestId: context.pending.plugin!,
                        error: event.error,
                      })
                    ),
                  },
                  {
                    target: "absent",
                    actions: [
                      emit(({ context, event }) =>
                        fact({
                          type: "request.failed",
                          requestId: context.pending.plugin!,
                          error: event.error,
                        })
                      ),
                      "dropPlugin",
                    ],
                  },
                ],
              },
            },
            unloading: {
              on: {
                "plugin.stopped": {
                  target: "absent",
                  actions: [
                    emit(({ context, event }) =>
                      fact({
                        type: "request.completed",
                        requestId: context.pending.plugin!,
                        result: event.closed,
                      })
                    ),
                    "dropPlugin",
                  ],
                },
              },
            },
          },
        },
        suite: {
          initial: "idle",
          states: {
            idle: {
              on: {
                "session.run_suite": {
                  guard: "pluginReady",
                  target: "running",
                  actions: [
                    assign({
                      pending: ({ context, event }) => ({ ...context.pending, suite: event.requestId }),
                    }),
                    enqueueActions(({ context, event, enqueue }) => {
                      const { tests, workers, rules, bail } = event;
                      enqueue.spawnChild("suite", {
                        id: "suite",
                        input: { plugin: context.plugin!, tests, workers, rules, bail },
                      });
                    }),
                  ],
                },
              },
            },
            running: {
              on: {
                "test.started": { actions: "passOn" },
                "test.finished": { actions: "passOn" },
                "session.cancel_suite": { actions: sendTo("suite", { type: "suite.cancel" }) },
                "suite.finished": {
                  target: "idle",
                  actions: [
                    "passOn",
                    emit(({ context, event }) =>
                      fact({
                        type: "request.completed",
                        requestId: context.pending.suite!,
                        result: { ran: event.ran, reason: event.reason },
                      })
                    ),
                    stopChild("suite"),
                  ],
                },
              },
            },
          },
        },
      },
    },
    ending: {
      initial: "stoppingSuite",
      on: { "session.end": {} },
      states: {
        stoppingSuite: { entry: stopChild("suite"), always: "stoppingPlugin" },
        stoppingPlugin: {
          entry: enqueueActions(({ context, enqueue }) => {
            if (context.plugin) enqueue("stopPlugin");
          }),
          always: { guard: ({ context }) => context.plugin === undefined, target: "destroyingEnvironment" },
          on: {
            "plugin.stopped": { target: "destroyingEnvironment", actions: "dropPlugin" },
          },
        },
        destroyingEnvironment: {
          entry: enqueueActions(({ context, enqueue }) => {
            if (context.environment && !context.keep) enqueue("destroyEnvironment");
          }),
          always: {
            guard: ({ context }) => context.environment === undefined || context.keep,
            target: "releasing",
          },
          on: {
            "environment.destroyed": { target: "releasing", actions: "dropEnvironment" },
          },
        },
        releasing: {
          invoke: {
            src: "release",
            input: ({ context: { sessionId, source, environmentInfo, keep } }) => ({
              sessionId,
              source,
              environment: environmentInfo,
              keep,
            }),
            onDone: { target: "#session.ended", actions: assign({ end: ({ event }) => event.output }) },
            onError: {
              target: "#session.ended",
              actions: assign({
                end: ({ context, event }) => ({
                  branch: context.source?.branch,
                  branchKept: true,
                  commits: 0,
                  leftBehind: [event.error instanceof Error ? event.error.message : String(event.error)],
                  kept: [],
                }),
              }),
            },
          },
        },
      },
    },
    ended: {
      type: "final",
      entry: [
        emit(({ context }) => fact({ type: "session.ended", end: context.end! })),
        sendTo(parentOf, ({ context }): SessionLife => ({
          type: "harness.session_ended",
          end: context.end!,
          error: context.error,
        })),
      ],
    },
  },
});
