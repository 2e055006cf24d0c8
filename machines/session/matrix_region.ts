/** Region `open.matrix` of the session: one matrix run at a time; its actor lives from the first request on. */
import { and, assign, sendTo, stopChild } from "xstate";
import { errorOf } from "./session_model.ts";
import { sessionSetup } from "./session_setup.ts";

const idle = sessionSetup.createStateConfig({
  on: {
    "session.run_matrix": {
      guard: and(["environmentReady", "suiteIdle", "noTestRun", "notIterating"]),
      target: "running",
      actions: [
        { type: "accept", params: { part: "matrix" } },
        assign({
          matrix: ({ context, spawn }) => context.matrix ?? spawn("matrix", { id: "matrix" }),
        }),
        sendTo(({ context }) => context.matrix!, ({ event: { requestId, caller = requestId, run } }) => ({
          type: "matrix.run",
          caller,
          run,
        })),
      ],
    },
    "session.answer_matrix": {
      guard: and(["hasMatrix", "environmentReady", "suiteIdle", "noTestRun", "notIterating"]),
      target: "running",
      actions: [
        { type: "accept", params: { part: "matrix" } },
        sendTo(({ context }) => context.matrix!, ({ event: { requestId, caller = requestId, answer } }) => ({
          type: "matrix.answer",
          caller,
          answer,
        })),
      ],
    },
  },
});

const running = sessionSetup.createStateConfig({
  on: {
    "session.cancel_matrix": {
      actions: sendTo(({ context }) => context.matrix!, { type: "matrix.cancel" }),
    },
    "matrix.phase": { actions: "passOn" },
    "matrix.ended": {
      target: "idle",
      actions: {
        type: "answer",
        params: ({ event }) => ({ part: "matrix", result: event.outcome }),
      },
    },
    "matrix.failed": {
      target: "idle",
      actions: { type: "refuse", params: ({ event }) => ({ part: "matrix", error: event.error }) },
    },
  },
});

export const matrixRegion = sessionSetup.createStateConfig({
  initial: "idle",
  on: {
    // The next request begins with a new one.
    "xstate.error.actor.matrix": {
      target: ".idle",
      actions: [
        { type: "refuse", params: errorOf("matrix") },
        stopChild("matrix"),
        assign({ matrix: undefined }),
      ],
    },
  },
  states: { idle, running },
});
