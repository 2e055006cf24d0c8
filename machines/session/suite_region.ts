/** Region `open.suite` of the session: at most one suite runs at a time. */
import { and, enqueueActions, sendTo, stopChild } from "xstate";
import { sessionSetup } from "./session_setup.ts";

const idle = sessionSetup.createStateConfig({
  on: {
    "session.run_suite": {
      guard: and(["pluginReady", "suiteIdle"]),
      target: "running",
      actions: [
        { type: "accept", params: { part: "suite" } },
        enqueueActions(({ context, event: { tests, workers, rules, bail }, enqueue }) => {
          enqueue.spawnChild("suite", {
            id: "suite",
            input: { pool: context.pool!, tests, workers, rules, bail },
          });
        }),
      ],
    },
  },
});

const running = sessionSetup.createStateConfig({
  on: {
    "test.started": { actions: "passOn" },
    "test.retried": { actions: "passOn" },
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
        stopChild("suite"),
      ],
    },
  },
});

export const suiteRegion = sessionSetup.createStateConfig({ initial: "idle", states: { idle, running } });
