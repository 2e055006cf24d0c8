/** State `ending` of the session: whatever happened, the same steps in the same order. */
import { assign, stopChild } from "xstate";
import { messageOf } from "../message_of.ts";
import { sessionSetup } from "./session_setup.ts";

export const ending = sessionSetup.createStateConfig({
  initial: "stoppingSuite",
  on: { "session.end": {} },
  states: {
    stoppingSuite: {
      entry: [stopChild("iteration"), stopChild("suite"), stopChild("agentRun")],
      always: "stoppingPlugin",
    },
    stoppingPlugin: {
      entry: "stopPlugin",
      always: { guard: ({ context }) => context.plugin === undefined, target: "stoppingDependencies" },
      on: { "plugin.stopped": { target: "stoppingDependencies", actions: "dropPlugin" } },
    },
    stoppingDependencies: {
      entry: "stopDependencies",
      always: {
        guard: ({ context }) => context.dependencies === undefined,
        target: "destroyingEnvironment",
      },
      on: {
        "dependencies.stopped": { target: "destroyingEnvironment", actions: "dropDependencies" },
        "dependencies.failed": { target: "destroyingEnvironment", actions: "dropDependencies" },
      },
    },
    destroyingEnvironment: {
      always: {
        guard: ({ context }) => context.environment === undefined || context.keep,
        target: "releasing",
      },
      entry: "destroyUnlessKept",
      on: {
        "environment.destroyed": { target: "releasing", actions: "dropEnvironment" },
        // What stays is told at the end.
        "environment.destroy_failed": { target: "releasing", actions: ["passOn", "dropEnvironment"] },
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
              leftBehind: [messageOf(event.error)],
              kept: [],
            }),
          }),
        },
      },
    },
  },
});
