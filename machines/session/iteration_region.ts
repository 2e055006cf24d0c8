/** Region `open.iteration` of the session: one run of the loop at a time; its actor lives from the first request on. */
import { and, assign, emit, sendTo, stopChild } from "xstate";
import { errorOf } from "./session_model.ts";
import { sessionSetup } from "./session_setup.ts";

const idle = sessionSetup.createStateConfig({
  on: {
    "session.iterate": {
      guard: and(["isPermitted", "environmentReady", "suiteIdle", "noTestRun"]),
      target: "running",
      actions: [
        { type: "accept", params: { part: "iteration" } },
        assign({
          iteration: ({ context, event: { history }, spawn }) =>
            context.iteration ?? spawn("iteration", { id: "iteration", input: history }),
        }),
        sendTo(
          ({ context }) => context.iteration!,
          ({ event: { requestId, caller = requestId, run, standing, statuses } }) => ({
            type: "iteration.run",
            caller,
            run,
            standing,
            statuses,
          }),
        ),
      ],
    },
  },
});

const running = sessionSetup.createStateConfig({
  on: {
    "session.cancel_iteration": {
      actions: sendTo(({ context }) => context.iteration!, { type: "iteration.cancel" }),
    },
    "iteration.phase": { actions: "passOn" },
    "iteration.recorded": { actions: "passOn" },
    "fix.committed": { actions: "passOn" },
    "fix.refused": { actions: "passOn" },
    "iteration.reloaded": {
      actions: emit(({ event: { reload } }) => ({ type: "plugin.reloaded", reload })),
    },
    "iteration.ended": {
      target: "idle",
      actions: {
        type: "answer",
        params: ({ event }) => ({ part: "iteration", result: event.outcome }),
      },
    },
    "iteration.failed": {
      target: "idle",
      actions: { type: "refuse", params: ({ event }) => ({ part: "iteration", error: event.error }) },
    },
  },
});

export const iterationRegion = sessionSetup.createStateConfig({
  initial: "idle",
  on: {
    // The next request begins with a new one.
    "xstate.error.actor.iteration": {
      target: ".idle",
      actions: [
        { type: "refuse", params: errorOf("iteration") },
        stopChild("iteration"),
        assign({ iteration: undefined }),
      ],
    },
  },
  states: { idle, running },
});
