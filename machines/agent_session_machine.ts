/**
 * Runs an agent on a playbook, or on a real model: prepares it in the environment, starts it, plays its model, and collects what it did.
 *
 * A task of the session. The model is served from before the agent is prepared until its trace is collected. An agent that
 * asks for nothing, shows a dialog that nobody answers, asks again after it was refused, does not end after its last answer, or has spent its budget is
 * stopped; each stop has a limit, after which the agent is given up as lost.
 */
import { assign, not, or, sendTo, setup, stateIn } from "xstate";
import { cancelledError } from "./cancelled_error.ts";
import type {
  AgentDialog,
  AgentExit,
  AgentSessionRequest,
  AgentSessionResult,
  AgentStop,
  CollectedSession,
  PreparedAgent,
} from "./model/agent_session.ts";
import type { JudgedRequest, PlaybookEnd } from "./model/playbook.ts";
import { nothingSpent, spentWith } from "./budget/spending.ts";
import { spendingStop } from "./budget/spending_stop.ts";
import type { Spending } from "./model/budget.ts";
import type { Usage } from "./model/playbook.ts";
import { parentRef } from "./parent_ref.ts";
import { playbookMachine } from "./playbook_machine.ts";
import { agentFailures, firstRequestMs } from "./playbook/agent_failures.ts";
import type { AgentSessionEvent } from "./playbook/agent_session_event.ts";
import { callbackActor, slot } from "./slot.ts";
import { beginTask, type TaskContext, type TaskFact, type TaskInput } from "./task/task.ts";

export interface AgentSessionInput extends TaskInput {
  readonly run: AgentSessionRequest;
}

export interface AgentWorkInput {
  requestId: string;
  run: AgentSessionRequest;
}

interface AgentSessionContext extends TaskContext, AgentSessionInput {
  url: string | undefined;
  prepared: PreparedAgent | undefined;
  exit: AgentExit | undefined;
  /** Reason why the agent was stopped, and the dialog that it showed last. */
  stop: { stopped?: AgentStop; dialog?: AgentDialog };
  /** Turns of the playbook, and the cost of a real model. */
  played: PlaybookEnd & { spent: Spending };
  collected: CollectedSession | undefined;
}

const noteItsUsage = {
  type: "noteUsage",
  params: ({ event }: { event: { usage: Usage | undefined } }) => ({ usage: event.usage }),
} as const;

const playIt = {
  type: "askPlaybook",
  params: ({ event }: { event: { request: JudgedRequest } }) => ({ request: event.request }),
} as const;

const noteItsError = {
  type: "noteError",
  params: ({ event }: { event: { error: unknown } }) => ({ error: event.error }),
} as const;

const noteItsDialog = {
  type: "noteDialog",
  params: ({ event }: { event: { dialog: AgentDialog } }) => ({ dialog: event.dialog }),
} as const;

const stopAs = (stopped: AgentStop) => ({
  target: "#agentSession.serving.running.stopping",
  actions: { type: "noteStop", params: { stopped } },
} as const);

const tooLate = (what: string) => ({
  target: "#agentSession.failed",
  actions: {
    type: "noteError",
    params: () => ({ error: new Error(`Cannot ${what}: it took too long`) }),
  },
} as const);

export const agentSessionMachine = setup({
  types: {
    context: {} as AgentSessionContext,
    input: {} as AgentSessionInput,
    events: {} as AgentSessionEvent,
  },
  actors: {
    playbook: playbookMachine,
    /** Serves the model; hears the playbook's facts. */
    serve: callbackActor<AgentWorkInput>("agent_session.serve"),
    prepare: slot<PreparedAgent, AgentWorkInput & { url: string }>("agent_session.prepare"),
    /** Runs the agent; hears `agent.stop`. */
    work: callbackActor<AgentWorkInput & { prepared: PreparedAgent }>("agent_session.work"),
    collect: slot<CollectedSession, AgentWorkInput & { prepared: PreparedAgent }>("agent_session.collect"),
  },
  actions: {
    noteError: assign((_, { error }: { error: unknown }) => ({ error })),
    noteDialog: assign(({ context: { stop } }, { dialog }: { dialog: AgentDialog }) => ({
      stop: { ...stop, dialog },
    })),
    noteStop: assign(({ context: { stop } }, { stopped }: { stopped: AgentStop }) => ({
      stop: { ...stop, stopped },
    })),
    noteUsage: assign(({ context: { played, run } }, { usage = {} }: { usage: Usage | undefined }) => ({
      played: { ...played, spent: spentWith(played.spent, usage, run.budget) },
    })),
    refuseMore: sendTo(
      "playbook",
      ({ context }, { usage }: { usage: Usage | undefined }) => ({
        type: "playbook.broke",
        message: spendingStop(context, usage)!,
        upstream: true,
      }),
    ),
    noteCancel: assign({ cancelled: true, error: () => cancelledError("the agent session") }),
    askPlaybook: sendTo("playbook", (_, { request }: { request: JudgedRequest }) => ({
      type: "playbook.requested",
      request,
    })),
    askToStop: sendTo("work", { type: "agent.stop" }),
    endPlaybook: sendTo("playbook", { type: "playbook.end" }),
    tellServer: sendTo("serve", ({ event }) => event),
  },
  guards: {
    isCancelled: ({ context }) => context.cancelled,
    isOverBudget: ({ context }, { usage }: { usage: Usage | undefined }) =>
      spendingStop(context, usage) !== undefined,
    /** One reason is enough. */
    isStopping: stateIn({ serving: { running: "stopping" } }),
    isSilent: stateIn({ serving: { running: "waiting" } }),
    isAsking: or([
      stateIn({ serving: { running: "asking" } }),
      stateIn({ serving: { running: "askingAtWork" } }),
    ]),
  },
  /** In ms. */
  delays: {
    whole: ({ context }) => context.run.timeoutMs,
    firstRequest: ({ context }) => firstRequestMs(context.prepared?.slowness),
    refused: 30_000,
    linger: 30_000,
    dialog: 10_000,
    dialogAtWork: 30_000, // a tool may run meanwhile
    stop: 30_000,
    preparation: 300_000, // an emulated machine takes minutes for an agent of hundreds of MB
    collection: 30_000,
  },
}).createMachine({
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
    collected: undefined,
  }),
  initial: "serving",
  states: {
    serving: {
      invoke: [
        {
          id: "serve",
          src: "serve",
          input: ({ context: { requestId, run } }) => ({ requestId, run }),
        },
        {
          id: "playbook",
          src: "playbook",
          input: ({ context: { run } }) => ({ playbook: run.playbook, upstream: run.upstream !== undefined }),
        },
      ],
      on: {
        "model.failed": {
          target: "failed",
          actions: noteItsError,
        },
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
            "model.listening": { target: "preparing", actions: assign({ url: ({ event }) => event.url }) },
            "task.cancel": { target: "#agentSession.failed", actions: "noteCancel" },
          },
          after: {
            preparation: tooLate("serve the model"),
          },
        },
        preparing: {
          invoke: {
            src: "prepare",
            input: ({ context: { requestId, run, url } }) => ({ requestId, run, url: url! }),
            onDone: { target: "running", actions: assign({ prepared: ({ event }) => event.output }) },
            onError: {
              target: "#agentSession.failed",
              actions: noteItsError,
            },
          },
          on: { "task.cancel": { target: "#agentSession.failed", actions: "noteCancel" } },
          after: {
            preparation: tooLate("prepare the agent"),
          },
        },
        /** The agent's process lives in both of its parts. */
        running: {
          invoke: {
            id: "work",
            src: "work",
            input: ({ context: { requestId, run, prepared } }) => ({ requestId, run, prepared: prepared! }),
          },
          on: {
            "agent.ended": { target: "collecting", actions: assign({ exit: ({ event }) => event.exit }) },
            "agent.failed": {
              target: "#agentSession.failed",
              actions: noteItsError,
            },
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
        },
        collecting: {
          entry: "endPlaybook",
          always: { guard: "isCancelled", target: "#agentSession.failed" },
          invoke: {
            src: "collect",
            input: ({ context: { requestId, run, prepared } }) => ({ requestId, run, prepared: prepared! }),
            onDone: {
              target: "#agentSession.completed",
              actions: assign({ collected: ({ event }) => event.output }),
            },
            onError: {
              target: "#agentSession.failed",
              actions: noteItsError,
            },
          },
          on: { "task.cancel": { target: "#agentSession.failed", actions: "noteCancel" } },
          after: {
            collection: tooLate("collect the trace"),
          },
        },
      },
    },
    completed: {
      type: "final",
      entry: sendTo(
        parentRef,
        ({ context: { requestId, run, prepared, exit, stop, collected, played } }): TaskFact => ({
          type: "task.completed",
          requestId,
          result: {
            agent: run.agent,
            version: prepared!.version,
            exit,
            stopped: stop.stopped,
            ...collected!,
            failures: agentFailures({
              exit,
              ...stop,
              ...prepared!,
              run,
              played,
              ...collected!,
            }),
            played: played.played,
            playbook: played.failures,
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
