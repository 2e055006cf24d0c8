/** Region `open.branch` of the session: work on its git branch, one piece after the other. */
import { and, assign, sendTo } from "xstate";
import { cancelledError } from "../cancelled_error.ts";
import { sessionSetup } from "./session_setup.ts";

const workId = "work";

const idle = sessionSetup.createStateConfig({
  always: { guard: and(["hasWork", "suiteIdle"]), target: "working" },
});

const working = sessionSetup.createStateConfig({
  invoke: {
    id: workId,
    src: "work",
    input: ({ context: { works: [work] } }) => work!,
    onError: {
      target: "idle",
      actions: { type: "endWork", params: ({ event: { error } }) => ({ answer: { error } }) },
    },
  },
  on: {
    "work.completed": {
      target: "idle",
      actions: { type: "endWork", params: ({ event: { output } }) => ({ answer: { result: output } }) },
    },
    "work.failed": {
      target: "idle",
      actions: { type: "endWork", params: ({ event: { error } }) => ({ answer: { error } }) },
    },
    // It ends by itself, soon: what it has written must fit together.
    "session.cancel_work": {
      guard: ({ context, event }) => context.works[0]?.requestId === event.requestId,
      actions: sendTo(workId, { type: "work.cancel" }),
    },
  },
});

export const branchRegion = sessionSetup.createStateConfig({
  initial: "idle",
  on: {
    "session.work": {
      guard: "suiteIdle",
      actions: [
        { type: "accept", params: { part: "branch" } },
        assign({
          works: ({ context, event: { requestId, kind, args } }) => [
            ...context.works,
            { requestId, kind, args },
          ],
        }),
      ],
    },
    /** Work that has not begun. */
    "session.cancel_work": {
      actions: [
        {
          type: "answerOne",
          params: ({ event: { requestId } }) => ({
            type: "request.failed",
            requestId,
            error: cancelledError("the work on the branch"),
          }),
        },
        assign({
          works: ({ context, event }) =>
            context.works.filter(({ requestId }) => requestId !== event.requestId),
        }),
      ],
    },
  },
  states: { idle, working },
});
