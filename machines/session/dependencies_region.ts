/** Region `open.dependencies` of the session: what runs beside the plugin under test, from its first load on. */
import { and, assign, sendTo } from "xstate";
import { cancelledError } from "../cancelled_error.ts";
import { errorOf } from "./session_model.ts";
import { sessionSetup } from "./session_setup.ts";

const absent = sessionSetup.createStateConfig({
  on: {
    "session.start_dependencies": {
      guard: and(["isPermitted", "environmentReady", "dependenciesWanted"]),
      target: "starting",
      actions: [
        { type: "accept", params: { part: "dependencies" } },
        assign({
          dependencies: ({ context: { provisioned: { info } }, spawn }) =>
            spawn("dependencies", {
              id: "dependencies",
              input: {
                environment: info!.handle,
                names: info!.config.dependencyPlugins!.map(({ name, source }) => name ?? source),
              },
            }),
        }),
      ],
    },
  },
});

/** The region died of an error of its own, and the plugins with it. */
const died = {
  target: ".absent",
  actions: [
    { type: "refuse", params: errorOf("dependencies") },
    "dropDependencies",
  ],
} as const;

const starting = sessionSetup.createStateConfig({
  on: {
    "session.cancel_dependencies": { actions: "stopDependencies" },
    "dependencies.started": {
      target: "ready",
      actions: { type: "answer", params: { part: "dependencies" } },
    },
    "dependencies.failed": {
      target: "absent",
      actions: [
        { type: "refuse", params: ({ event }) => ({ part: "dependencies", error: event.error }) },
        "dropDependencies",
      ],
    },
    "dependencies.stopped": {
      target: "absent",
      actions: [
        {
          type: "refuse",
          params: { part: "dependencies", error: cancelledError("starting the dependency plugins") },
        },
        "dropDependencies",
      ],
    },
  },
});

const stop = {
  guard: and(["isPermitted", "pluginAbsent"]),
  target: "stopping",
  actions: [{ type: "accept", params: { part: "dependencies" } }, "stopDependencies"],
} as const;

const ready = sessionSetup.createStateConfig({
  on: {
    "session.stop_dependencies": stop,
    // This handler stands before the session's own.
    "environment.rolled_back": {
      target: "stale",
      actions: { type: "noteProvisioned", params: ({ event }) => ({ info: event.environment }) },
    },
  },
});

/** A rollback has ended what ran inside. */
const stale = sessionSetup.createStateConfig({
  on: {
    "session.stop_dependencies": stop,
    "session.start_dependencies": {
      guard: and(["isPermitted", "environmentReady"]),
      target: "starting",
      actions: [
        { type: "accept", params: { part: "dependencies" } },
        sendTo(({ context }) => context.dependencies!, ({ context }) => ({
          type: "dependencies.restart",
          environment: context.provisioned.info!.handle,
        })),
      ],
    },
  },
});

const stopping = sessionSetup.createStateConfig({
  on: {
    "dependencies.stopped": {
      target: "absent",
      actions: [{ type: "answer", params: { part: "dependencies" } }, "dropDependencies"],
    },
  },
});

export const dependenciesRegion = sessionSetup.createStateConfig({
  initial: "absent",
  on: { "xstate.error.actor.dependencies": died },
  states: { absent, starting, ready, stale, stopping },
});
