/** Region `open.agentRun` of the session: at most one prompt-driven test runs at a time, and no suite beside it. */
import { and, enqueueActions, sendTo } from "xstate";
import { errorOf } from "./session_model.ts";
import { sessionSetup } from "./session_setup.ts";

const absent = sessionSetup.createStateConfig({
  on: {
    "session.begin_agent_run": {
      guard: and(["isPermitted", "environmentReady", "pluginReady", "suiteIdle"]),
      target: "busy",
      actions: [
        { type: "accept", params: { part: "agentRun" } },
        { type: "noteTesting", params: { testing: "agentRun" } },
        enqueueActions(({ context, event: { runId, test }, enqueue }) => {
          enqueue.spawnChild("agentRun", {
            id: "agentRun",
            input: { runId, planned: test, pool: context.loaded.pool! },
          });
        }),
      ],
    },
  },
});

/** The run died of an error of its own. */
const died = {
  target: ".absent",
  actions: [
    { type: "refuse", params: errorOf("agentRun") },
    "dropTesting",
  ],
} as const;

/** A request is under way: the beginning, a call, or the end. */
const busy = sessionSetup.createStateConfig({
  on: {
    "agent_run.began": {
      target: "waiting",
      actions: { type: "answer", params: ({ event }) => ({ part: "agentRun", result: event }) },
    },
    "agent_run.answered": {
      target: "waiting",
      actions: { type: "answer", params: ({ event }) => ({ part: "agentRun", result: event.outcome }) },
    },
    "agent_run.call_failed": {
      target: "waiting",
      actions: { type: "refuse", params: ({ event }) => ({ part: "agentRun", error: event.error }) },
    },
    "agent_run.finished": {
      target: "absent",
      actions: [
        "passOn",
        { type: "answer", params: ({ event }) => ({ part: "agentRun", result: event }) },
        "dropTesting",
      ],
    },
    "session.cancel_agent_call": { actions: sendTo("agentRun", { type: "agent_run.cancel_call" }) },
    "session.abandon_agent_run": {
      actions: sendTo("agentRun", ({ event }) => ({ type: "agent_run.abandon", reason: event.reason })),
    },
  },
});

const waiting = sessionSetup.createStateConfig({
  on: {
    "session.agent_call": {
      target: "busy",
      actions: [
        { type: "accept", params: { part: "agentRun" } },
        sendTo("agentRun", ({ event: { requestId, tool, input } }) => ({
          type: "agent_run.call",
          callId: requestId,
          tool,
          input,
        })),
      ],
    },
    "session.close_agent_run": {
      target: "busy",
      actions: [
        { type: "accept", params: { part: "agentRun" } },
        sendTo("agentRun", ({ event }) => ({ type: "agent_run.close", checklist: event.checklist })),
      ],
    },
    "session.abandon_agent_run": {
      actions: sendTo("agentRun", ({ event }) => ({ type: "agent_run.abandon", reason: event.reason })),
    },
    // Its time was up, or its server was lost.
    "agent_run.finished": { target: "absent", actions: ["passOn", "dropTesting"] },
  },
});

export const agentRunRegion = sessionSetup.createStateConfig({
  initial: "absent",
  on: { "xstate.error.actor.agentRun": died },
  states: { absent, busy, waiting },
});
