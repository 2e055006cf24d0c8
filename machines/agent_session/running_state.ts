/** State `serving.running` of the agent session: the agent's process, from its start to its end. */
import { assign, not } from "xstate";
import type { AgentStop } from "../model/agent_session.ts";
import {
  type AgentSessionContext,
  agentSessionSetup,
  firstMs,
  noteItsDialog,
  noteItsUsage,
  playIt,
  preparedInput,
  wholeMs,
} from "./agent_session_setup.ts";
import { inspectionMs } from "../hang_inspection_machine.ts";
import { noteItsError } from "../task/task.ts";

const stopAs = (stopped: AgentStop) => ({
  target: "#agentSession.serving.running.stopping",
  actions: { type: "noteStop", params: { stopped } },
} as const);

/** Inspects its processes within what is left of a limit; the inspection ends by itself. */
const inspectBefore = (limitMs: (args: { context: AgentSessionContext }) => number) =>
  agentSessionSetup.spawnChild("inspect", {
    input: ({ context }) => ({
      of: { requestId: context.requestId },
      leftMs: inspectionMs(limitMs({ context })),
    }),
  });

/** The process lives in both of its parts. */
export const runningState = agentSessionSetup.createStateConfig({
  invoke: {
    id: "work",
    src: "work",
    input: preparedInput,
  },
  on: {
    "agent.ended": {
      target: "#agentSession.serving.collecting",
      actions: assign({ exit: ({ event }) => event.exit }),
    },
    "hang.inspected": {
      actions: { type: "noteInspection", params: ({ event }) => ({ inspection: event.inspection }) },
    },
    "agent.failed": { target: "#agentSession.serving.closing", actions: noteItsError },
    "task.cancel": { guard: not("isCancelled"), target: ".stopping", actions: "noteCancel" },
    "model.used": [{ guard: "isStopping", actions: noteItsUsage }, {
      guard: { type: "isOverBudget", params: ({ event: { usage } }) => ({ usage }) },
      target: ".stopping",
      actions: [
        { type: "refuseMore", params: ({ event: { usage } }) => ({ usage }) },
        noteItsUsage,
        { type: "noteStop", params: { stopped: "over-budget" } },
      ],
    }],
  },
  after: {
    nearlyFirst: { guard: "isLate", actions: inspectBefore(firstMs) },
    nearlyWhole: { guard: not("isStopping"), actions: inspectBefore(wholeMs) },
    whole: [
      { guard: "isStopping" },
      { guard: "isSilent", ...stopAs("silent") },
      { guard: "isAsking", ...stopAs("asking") },
      stopAs("timed-out"),
    ],
  },
  initial: "waiting",
  states: {
    /** The agent has not asked the model yet. */
    waiting: {
      on: {
        "model.requested": {
          target: "working",
          actions: playIt,
        },
        "agent.asked": { target: "asking", actions: noteItsDialog },
      },
      after: {
        firstRequest: stopAs("silent"),
      },
    },
    /** A dialog is shown before the first request. */
    asking: {
      on: {
        "model.requested": {
          target: "working",
          actions: playIt,
        },
        "agent.went_on": "waiting",
      },
      after: {
        dialog: stopAs("asking"),
      },
    },
    working: {
      on: {
        "agent.asked": { target: "askingAtWork", actions: noteItsDialog },
        "playbook.refused": { target: "refused", actions: "tellServer" },
        "agent.concluded": "concluded",
      },
    },
    askingAtWork: {
      on: {
        "model.requested": {
          target: "working",
          actions: playIt,
        },
        "playbook.refused": { target: "refused", actions: "tellServer" },
        "agent.went_on": "working",
        "agent.concluded": "concluded",
      },
      after: {
        dialogAtWork: stopAs("asking"),
      },
    },
    /** A request fitted no turn; agents end with such an answer, or ask again. */
    refused: {
      after: {
        refused: stopAs("repeating"),
      },
    },
    /** The agent has said its last word. */
    concluded: {
      after: {
        linger: stopAs("lingering"),
      },
    },
    stopping: {
      entry: "askToStop",
      after: { stop: "#agentSession.serving.collecting" },
    },
  },
});
