/** Region `open.suite` of the session: one suite, or one measuring of performance, at a time. */
import { and, emit, enqueueActions, sendTo } from "xstate";
import { errorOf } from "./session_model.ts";
import { sessionSetup } from "./session_setup.ts";

const idle = sessionSetup.createStateConfig({
  on: {
    "session.run_suite": {
      guard: and(["isPermitted", "environmentReady", "pluginReady", "suiteIdle"]),
      target: "running",
      actions: [
        { type: "accept", params: { part: "suite" } },
        { type: "noteTesting", params: { testing: "suite" } },
        emit({ type: "suite.began" }),
        enqueueActions(({ context, event: { tests, workers, rules, bail }, enqueue }) => {
          enqueue.spawnChild("suite", {
            id: "suite",
            input: { pool: context.loaded.pool!, tests, workers, rules, bail },
          });
        }),
      ],
    },
    "session.measure_performance": {
      guard: and(["isPermitted", "environmentReady", "pluginReady", "suiteIdle"]),
      target: "measuring",
      actions: [
        { type: "accept", params: { part: "suite" } },
        { type: "noteTesting", params: { testing: "performance" } },
        enqueueActions(({ context, event: { request, known }, enqueue }) => {
          enqueue.spawnChild("performance", {
            id: "performance",
            input: { pool: context.loaded.pool!, request, known },
          });
        }),
      ],
    },
  },
});

/** The actor that tested, or measured, died of an error of its own. */
const died = {
  target: ".idle",
  actions: [
    { type: "refuse", params: errorOf("suite") },
    "dropTesting",
  ],
} as const;

/** Figures are worth something only while nothing else runs. */
const measuring = sessionSetup.createStateConfig({
  on: {
    "session.cancel_performance": { actions: sendTo("performance", { type: "performance.cancel" }) },
    "performance.finished": {
      target: "idle",
      actions: [
        { type: "answer", params: ({ event }) => ({ part: "suite", result: event.report }) },
        "dropTesting",
      ],
    },
    "performance.failed": {
      target: "idle",
      actions: [
        { type: "refuse", params: ({ event }) => ({ part: "suite", error: event.error }) },
        "dropTesting",
      ],
    },
  },
});

const running = sessionSetup.createStateConfig({
  on: {
    "test.started": { actions: "passOn" },
    "test.retried": { actions: "passOn" },
    "test.pending": { actions: "passOn" },
    "test.finished": { actions: "passOn" },
    "session.cancel_suite": { actions: sendTo("suite", { type: "suite.cancel" }) },
    "suite.finished": {
      target: "idle",
      actions: [
        "passOn",
        {
          type: "answer",
          params: ({ event: { ran, reason } }) => ({ part: "suite", result: { ran, reason } }),
        },
        "dropTesting",
      ],
    },
  },
});

export const suiteRegion = sessionSetup.createStateConfig({
  initial: "idle",
  on: { "xstate.error.actor.suite": died, "xstate.error.actor.performance": died },
  states: { idle, running, measuring },
});
