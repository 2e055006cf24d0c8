/** Requests of several steps, at `open` of the session: each is an actor of its own, beside the regions. */
import { enqueueActions, stateIn, stopChild } from "xstate";
import { taskActor } from "./session_model.ts";
import type { StepRequest, TaskRequest } from "./session_request.ts";
import { sessionSetup } from "./session_setup.ts";

/** A child asks what no region takes in this state. */
const refused = { guard: "isFromChild", actions: "refuseUntaken" } as const;
const refusedSteps = {
  "session.load": refused,
  "session.reload": refused,
  "session.rollback": refused,
  "session.snapshot": refused,
  "session.start_dependencies": refused,
  "session.unload": refused,
  "session.work": refused,
} satisfies Record<Exclude<StepRequest["type"], TaskRequest["type"]>, typeof refused>;

export const tasks = sessionSetup.createStateConfig({
  on: {
    ...refusedSteps,
    "session.load_plugin": [{
      guard: "mayLoad",
      actions: [
        { type: "accept", params: { part: "load" } },
        enqueueActions(({ context, event: { requestId, load, caller = requestId }, enqueue, check }) => {
          enqueue.spawnChild("loadTask", {
            id: taskActor(requestId),
            input: {
              requestId,
              caller,
              load: load ?? context.lastLoad ?? {},
              reload: false,
              running: check(stateIn({ open: { plugin: "ready" } })),
            },
          });
        }),
      ],
    }, refused],
    "session.reload_plugin": [{
      guard: "mayLoad",
      actions: [
        { type: "accept", params: { part: "load" } },
        enqueueActions(({ context, event: { requestId, caller = requestId }, enqueue, check }) => {
          enqueue.spawnChild("loadTask", {
            id: taskActor(requestId),
            input: {
              requestId,
              caller,
              load: context.lastLoad ?? {},
              reload: true,
              running: check(stateIn({ open: { plugin: "ready" } })),
            },
          });
        }),
      ],
    }, refused],
    "session.apply_fix": {
      actions: [
        { type: "accept", params: { part: "task" } },
        enqueueActions(({ event: { requestId, caller = requestId, request, reload, save }, enqueue }) => {
          enqueue.spawnChild("fixTask", {
            id: taskActor(requestId),
            input: { requestId, caller, request, reload, save },
          });
        }),
      ],
    },
    "session.revert_fix": {
      actions: [
        { type: "accept", params: { part: "task" } },
        enqueueActions(
          ({ context, event: { requestId, caller = requestId, commit, reload }, enqueue, check }) => {
            const wasLoaded = context.pluginLost || check(stateIn({ open: { plugin: "ready" } }));
            enqueue.spawnChild("revertTask", {
              id: taskActor(requestId),
              input: { requestId, caller, commit, reload, wasLoaded },
            });
          },
        ),
      ],
    },
    "task.completed": {
      actions: [
        {
          type: "answerOne",
          params: ({ event: { requestId, result } }) => ({ type: "request.completed", requestId, result }),
        },
        stopChild(({ event }) => taskActor(event.requestId)),
      ],
    },
    "task.failed": {
      actions: [
        {
          type: "answerOne",
          params: ({ event: { requestId, error } }) => ({ type: "request.failed", requestId, error }),
        },
        stopChild(({ event }) => taskActor(event.requestId)),
      ],
    },
    "session.cancel_request": { actions: "cancelRequest" },
  },
}).on;
