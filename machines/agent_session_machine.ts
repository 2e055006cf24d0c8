/**
 * Runs an agent on a playbook, or on a real model: lays out its project, prepares it in the environment, starts it, plays
 * its model, collects what it did, checks and tears down the project.
 *
 * A task of the session. The model is served from before the project is laid out until all is torn down. An agent that
 * asks for nothing, shows a dialog that nobody answers, asks again after it was refused, does not end after its last answer, or has spent its budget is
 * stopped; each stop has a limit, after which the agent is given up as lost. A project that was begun with is torn down
 * however the session goes.
 */
import { assign, sendTo } from "xstate";
import { messageOf } from "./message_of.ts";
import {
  type AgentSessionContext,
  agentSessionSetup,
  checkInput,
  noteItsUsage,
  playIt,
  preparedInput,
  tooLate,
  workInput,
} from "./agent_session/agent_session_setup.ts";
import { runningState } from "./agent_session/running_state.ts";
import type { AgentSessionResult, CollectedSession } from "./model/agent_session.ts";
import { nothingSpent } from "./budget/spending.ts";
import { parentRef } from "./parent_ref.ts";
import { agentFailures } from "./playbook/agent_failures.ts";
import { beginTask, noteItsError, type TaskFact } from "./task/task.ts";

const giveUp = { target: "#agentSession.serving.closing", actions: "noteCancel" } as const;
const fail = { target: "#agentSession.serving.closing", actions: noteItsError } as const;

const noteItsTrace = {
  type: "noteCollected",
  params: ({ event }: { event: { output: CollectedSession } }) => ({ collected: event.output }),
} as const;

/** An inspection before a limit that the agent did not reach says nothing about its end. */
const inspectionAt = ({ stopped, inspection }: AgentSessionContext["stop"]) =>
  (stopped === "silent" || stopped === "timed-out") && inspection !== undefined ? { inspection } : {};

export const agentSessionMachine = agentSessionSetup.createMachine({
  id: "agentSession",
  description: "One session of an agent whose model is a playbook.",
  context: ({ input }) => ({
    ...beginTask(input),
    ...input,
    url: undefined,
    prepared: undefined,
    exit: undefined,
    stop: {},
    played: { failures: [], played: 0, spent: nothingSpent },
    ended: { collected: undefined, checks: {}, problems: [] },
  }),
  initial: "serving",
  states: {
    serving: {
      invoke: [
        { id: "serve", src: "serve", input: workInput },
        {
          id: "playbook",
          src: "playbook",
          input: ({ context: { run } }) => ({ playbook: run.playbook, upstream: run.upstream !== undefined }),
        },
      ],
      on: {
        "model.failed": fail,
        "model.requested": {
          actions: playIt,
        },
        "model.spawned": {
          actions: sendTo("playbook", ({ event: { spawn } }) => ({ type: "playbook.spawned", spawn })),
        },
        "model.contradicted": {
          actions: sendTo(
            "playbook",
            ({ event: { message } }) => ({ type: "playbook.contradicted", message }),
          ),
        },
        "model.broke": {
          actions: sendTo("playbook", ({ event }) => ({ ...event, type: "playbook.broke" as const })),
        },
        "model.used": {
          actions: noteItsUsage,
        },
        "playbook.chose": { actions: "tellServer" },
        "playbook.passed": { actions: "tellServer" },
        "playbook.forwarded": { actions: "tellServer" },
        "playbook.refused": { actions: "tellServer" },
        "playbook.ended": {
          actions: assign({
            played: ({ context, event: { failures, played } }) => ({ ...context.played, failures, played }),
          }),
        },
      },
      initial: "starting",
      states: {
        starting: {
          on: {
            "model.listening": [
              {
                guard: "hasStart",
                target: "settingUp",
                actions: assign({ url: ({ event }) => event.url }),
              },
              { target: "preparing", actions: assign({ url: ({ event }) => event.url }) },
            ],
            "task.cancel": giveUp,
          },
          after: {
            preparation: tooLate("serve the model"),
          },
        },
        settingUp: {
          invoke: { src: "setUp", input: workInput, onDone: "preparing", onError: fail },
          on: { "task.cancel": giveUp },
          after: {
            preparation: tooLate("lay out the project"),
          },
        },
        preparing: {
          invoke: {
            src: "prepare",
            input: ({ context: { requestId, run, url } }) => ({ requestId, run, url: url! }),
            onDone: { target: "running", actions: assign({ prepared: ({ event }) => event.output }) },
            onError: fail,
          },
          on: { "task.cancel": giveUp },
          after: {
            preparation: tooLate("prepare the agent"),
          },
        },
        running: runningState,
        collecting: {
          entry: "endPlaybook",
          always: { guard: "isCancelled", target: "closing" },
          invoke: {
            src: "collect",
            input: preparedInput,
            onDone: [
              { guard: "hasChecks", target: "checking", actions: noteItsTrace },
              { target: "closing", actions: noteItsTrace },
            ],
            onError: fail,
          },
          on: { "task.cancel": giveUp },
          after: {
            collection: tooLate("collect the trace"),
          },
        },
        checking: {
          invoke: {
            src: "check",
            input: checkInput,
            onDone: {
              target: "closing",
              actions: { type: "noteChecks", params: ({ event }) => ({ checks: event.output }) },
            },
            onError: fail,
          },
          on: { "task.cancel": giveUp },
          after: {
            checks: tooLate("check the project"),
          },
        },
        closing: {
          always: [{ guard: "hasTeardown", target: "tearingDown" }, { target: "#agentSession.ended" }],
        },
        tearingDown: {
          invoke: {
            src: "tearDown",
            input: workInput,
            onDone: {
              target: "#agentSession.ended",
              actions: { type: "noteProblems", params: ({ event }) => ({ problems: event.output }) },
            },
            onError: {
              target: "#agentSession.ended",
              actions: {
                type: "noteProblems",
                params: ({ event }) => ({ problems: [messageOf(event.error)] }),
              },
            },
          },
          on: { "model.failed": {} },
          after: {
            teardown: {
              target: "#agentSession.ended",
              actions: {
                type: "noteProblems",
                params: { problems: ["the teardown took too long"] },
              },
            },
          },
        },
      },
    },
    ended: { always: [{ guard: "hasFailed", target: "failed" }, { target: "completed" }] },
    completed: {
      type: "final",
      entry: sendTo(
        parentRef,
        ({ context: { requestId, run, prepared, exit, stop, played, ended } }): TaskFact => ({
          type: "task.completed",
          requestId,
          result: {
            agent: run.agent,
            version: prepared!.version,
            exit,
            stopped: stop.stopped,
            ...inspectionAt(stop),
            ...ended.collected!,
            failures: [
              ...agentFailures({
                exit,
                ...stop,
                ...prepared!,
                run,
                played,
                ...ended.collected!,
              }),
              ...ended.problems,
            ],
            played: played.played,
            playbook: played.failures,
            ...(run.checks === undefined ? {} : { checks: ended.checks }),
            ...(run.upstream === undefined ? {} : { spent: played.spent }),
          } satisfies AgentSessionResult,
        }),
      ),
    },
    failed: {
      type: "final",
      entry: sendTo(
        parentRef,
        ({ context: { requestId, error } }): TaskFact => ({ type: "task.failed", requestId, error }),
      ),
    },
  },
});
