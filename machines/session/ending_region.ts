/** State `ending` of the session: whatever happened, the same steps in the same order. */
import { stopChild } from "xstate";
import { messageOf } from "../message_of.ts";
import { releaseLimitMs, sessionSetup } from "./session_setup.ts";

const overAndOut = { target: "stoppingPlugin", actions: "dropTesting" } as const;

/** Message when a step of the ending exceeds its limit: `pth clean` does the rest. */
const unreleased = `what the session made could not be removed within ${
  releaseLimitMs / 1000
} s: run pth clean`;

export const endingRegion = sessionSetup.createStateConfig({
  initial: "stoppingSuite",
  on: { "session.end": {}, "xstate.error.actor.*": {} },
  states: {
    /** Tests in flight take away what they made, as far as there is time for it. */
    stoppingSuite: {
      entry: [stopChild("iteration"), stopChild("matrix"), "cancelTesting"],
      always: { guard: "testsOver", target: "stoppingPlugin" },
      on: {
        "suite.finished": overAndOut,
        "performance.finished": overAndOut,
        "performance.failed": overAndOut,
        "agent_run.finished": overAndOut,
        "xstate.error.actor.*": { target: "stoppingPlugin", actions: "dropTesting" },
      },
      after: { tests: overAndOut },
    },
    stoppingPlugin: {
      entry: "stopPlugin",
      always: { guard: "pluginGone", target: "stoppingDependencies" },
      on: {
        "plugin.stopped": { target: "stoppingDependencies", actions: "dropPlugin" },
        "xstate.error.actor.plugin": { target: "stoppingDependencies", actions: "dropPlugin" },
      },
    },
    stoppingDependencies: {
      entry: "stopDependencies",
      always: {
        guard: "dependenciesGone",
        target: "destroyingEnvironment",
      },
      on: {
        "dependencies.stopped": { target: "destroyingEnvironment", actions: "dropDependencies" },
        "dependencies.failed": { target: "destroyingEnvironment", actions: "dropDependencies" },
        "xstate.error.actor.dependencies": { target: "destroyingEnvironment", actions: "dropDependencies" },
      },
    },
    destroyingEnvironment: {
      always: {
        guard: "goneOrKept",
        target: "releasing",
      },
      entry: "destroyUnlessKept",
      on: {
        "environment.destroyed": { target: "releasing", actions: "dropEnvironment" },
        "xstate.error.actor.environment": { target: "releasing", actions: "dropEnvironment" },
        // What stays is told at the end.
        "environment.destroy_failed": { target: "releasing", actions: ["passOn", "dropEnvironment"] },
      },
    },
    releasing: {
      invoke: {
        src: "release",
        input: ({ context: { sessionId, source, provisioned, outcome } }) => ({
          sessionId,
          source,
          environment: provisioned.info,
          keep: outcome.keep,
        }),
        onDone: {
          target: "#session.ended",
          actions: { type: "noteOutcome", params: ({ event }) => ({ end: event.output }) },
        },
        onError: {
          target: "#session.ended",
          actions: { type: "noteLeft", params: ({ event }) => ({ left: messageOf(event.error) }) },
        },
      },
      after: {
        releasing: {
          target: "#session.ended",
          actions: { type: "noteLeft", params: { left: unreleased } },
        },
      },
    },
  },
});
