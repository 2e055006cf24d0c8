/** Region `open.verification` of the session: one verification at a time; its actor lives from the first request on. */
import { and, assign, sendTo, stopChild } from "xstate";
import { errorOf } from "./session_model.ts";
import { sessionSetup } from "./session_setup.ts";

const idle = sessionSetup.createStateConfig({
  on: {
    "session.verify_distros": {
      guard: and(["environmentReady", "suiteIdle", "notIterating"]),
      target: "running",
      actions: [
        { type: "accept", params: { part: "verification" } },
        assign({
          verification: ({ context, spawn }) =>
            context.verification ?? spawn("verification", { id: "verification" }),
        }),
        sendTo(({ context }) => context.verification!, ({ event: { run } }) => ({
          type: "verification.run",
          run,
        })),
      ],
    },
    "session.answer_verification": {
      guard: and(["isVerifying", "environmentReady", "suiteIdle", "notIterating"]),
      target: "running",
      actions: [
        { type: "accept", params: { part: "verification" } },
        sendTo(({ context }) => context.verification!, ({ event: { answer } }) => ({
          type: "verification.answer",
          answer,
        })),
      ],
    },
  },
});

const running = sessionSetup.createStateConfig({
  on: {
    "session.cancel_verification": {
      actions: sendTo(({ context }) => context.verification!, { type: "verification.cancel" }),
    },
    "verification.phase": { actions: "passOn" },
    "verification.ended": {
      target: "idle",
      actions: {
        type: "answer",
        params: ({ event }) => ({ part: "verification", result: event.outcome }),
      },
    },
    "verification.failed": {
      target: "idle",
      actions: { type: "refuse", params: ({ event }) => ({ part: "verification", error: event.error }) },
    },
  },
});

export const matrixRegion = sessionSetup.createStateConfig({
  initial: "idle",
  on: {
    // The next request begins with a new one.
    "xstate.error.actor.verification": {
      target: ".idle",
      actions: [
        { type: "refuse", params: errorOf("verification") },
        stopChild("verification"),
        assign({ verification: undefined }),
      ],
    },
  },
  states: { idle, running },
});
