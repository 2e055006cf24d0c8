/** Region `open.plugin` of the session: at most one plugin under test, loaded into the environment. */
import { and, assign, enqueueActions, sendTo } from "xstate";
import { cancelledError } from "../cancelled_error.ts";
import { actorOf, errorOf } from "./session_model.ts";
import { sessionSetup } from "./session_setup.ts";

const absent = sessionSetup.createStateConfig({
  on: {
    "session.load": {
      guard: and(["isPermitted", "environmentReady", "dependenciesUp"]),
      target: "loading",
      actions: [
        { type: "accept", params: { part: "plugin" } },
        assign({
          loaded: ({ context, event }) => ({ ...context.loaded, request: event.load }),
          plugin: ({ context, event, spawn }) =>
            spawn("plugin", {
              id: "plugin",
              input: {
                environment: context.provisioned.info!.handle,
                load: event.load,
                coverage: context.loaded.coverage,
              },
            }),
        }),
      ],
    },
  },
});

/** The plugin died of an error of its own, and its servers with it. */
const died = {
  target: ".absent",
  actions: [
    { type: "refuse", params: errorOf("plugin") },
    "cancelTesting",
    "dropPlugin",
  ],
} as const;

const loading = sessionSetup.createStateConfig({
  on: {
    "session.cancel_load": { actions: "stopPlugin" },
    "plugin.stopped": {
      target: "absent",
      actions: [
        { type: "refuse", params: { part: "plugin", error: cancelledError("loading") } },
        "dropPlugin",
      ],
    },
    "plugin.started": {
      target: "ready",
      actions: [
        {
          type: "answer",
          params: ({ context, event: { plan, server, tools } }) => ({
            part: "plugin",
            result: { plan, server, tools, before: context.loaded.lost ?? [] },
          }),
        },
        {
          type: "noteLoaded",
          params: ({ event }) => ({
            pool: event.pool,
            lost: undefined,
            failure: undefined,
            contract: undefined,
          }),
        },
      ],
    },
    "plugin.failed": {
      target: "absent",
      actions: [
        { type: "refuse", params: ({ event }) => ({ part: "plugin", error: event.error }) },
        "dropPlugin",
      ],
    },
  },
});

const ready = sessionSetup.createStateConfig({
  on: {
    "session.reload": {
      guard: and(["isPermitted", "environmentReady", "suiteIdle", "dependenciesUp"]),
      target: "reloading",
      actions: [{ type: "accept", params: { part: "plugin" } }, "reloadPlugin"],
    },
    "session.unload": {
      guard: and(["isPermitted", "suiteIdle"]),
      target: "unloading",
      actions: [{ type: "accept", params: { part: "plugin" } }, "stopPlugin"],
    },
    "session.call": {
      // The run has the only server until it is closed.
      guard: and(["environmentReady", "noAgentRun"]),
      actions: [
        { type: "accept", params: { part: "call" } },
        enqueueActions(({ context, event: { requestId, tool, input, limitMs }, enqueue }) => {
          enqueue.spawnChild("call", {
            id: actorOf(context, requestId),
            input: { requestId, tool, input, limitMs, pool: context.loaded.pool! },
          });
        }),
      ],
    },
  },
});

const reloading = sessionSetup.createStateConfig({
  on: {
    "session.cancel_load": {
      actions: sendTo(({ context }) => context.plugin!, { type: "plugin.cancel_reload" }),
    },
    "plugin.reloaded": {
      target: "ready",
      actions: [
        {
          type: "noteLoaded",
          params: ({ event }) => ({ pool: event.pool, failure: undefined, contract: undefined }),
        },
        {
          type: "answer",
          params: ({ event: { plan, server, tools, closed, before } }) => ({
            part: "plugin",
            result: { plan, server, tools, closed, before },
          }),
        },
      ],
    },
    "plugin.reload_failed": [
      {
        guard: ({ event }) => event.serverRuns,
        target: "ready",
        actions: { type: "refuse", params: ({ event }) => ({ part: "plugin", error: event.error }) },
      },
      {
        target: "absent",
        actions: [
          { type: "refuse", params: ({ event }) => ({ part: "plugin", error: event.error }) },
          "dropPlugin",
          { type: "noteLoaded", params: ({ event }) => ({ lost: event.before }) },
        ],
      },
    ],
  },
});

const unloading = sessionSetup.createStateConfig({
  on: {
    "plugin.stopped": {
      target: "absent",
      actions: [
        { type: "answer", params: ({ event }) => ({ part: "plugin", result: event.closed }) },
        "dropPlugin",
      ],
    },
  },
});

export const pluginRegion = sessionSetup.createStateConfig({
  initial: "absent",
  on: { "xstate.error.actor.plugin": died },
  states: { absent, loading, ready, reloading, unloading },
});
