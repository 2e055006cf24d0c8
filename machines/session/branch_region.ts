/** Region `open.branch` of the session: work on its git branch, one piece at a time. */
import { assign } from "xstate";
import { sessionSetup } from "./session_setup.ts";

const idle = sessionSetup.createStateConfig({
  on: {
    "session.work": {
      guard: "suiteIdle",
      target: "working",
      actions: [
        { type: "accept", params: { part: "branch" } },
        assign({ work: ({ event: { kind, args } }) => ({ kind, args }) }),
      ],
    },
  },
});

const working = sessionSetup.createStateConfig({
  invoke: {
    src: "work",
    input: ({ context }) => context.work!,
    onDone: {
      target: "idle",
      actions: { type: "answer", params: ({ event }) => ({ part: "branch", result: event.output }) },
    },
    onError: {
      target: "idle",
      actions: { type: "refuse", params: ({ event }) => ({ part: "branch", error: event.error }) },
    },
  },
  exit: assign({ work: undefined }),
});

export const branchRegion = sessionSetup.createStateConfig({ initial: "idle", states: { idle, working } });
