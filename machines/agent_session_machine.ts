/**
 * Runs an agent on a playbook, or on a real model: prepares it in the environment, starts it, plays its model, and collects what it did.
 *
 * A task of the session. The model is served from before the agent is prepared until its trace is collected. An agent that
 * asks for nothing, asks again after it was refused, does not end after its last answer, or has spent its budget is
 * stopped; each stop has a limit, after which the agent is given up as lost.
 */
import { assign, not, sendTo, setup, stateIn } from "xstate";
import { cancelledError } from "./cancelled_error.ts";
import type {
  AgentExit,
  AgentSessionRequest,
  AgentSessionResult,
  AgentStop,
  CollectedSession,
  PreparedAgent,
} from "./model/agent_session.ts";
import type { JudgedRequest, PlaybookEnd } from "./model/playbook.ts";
import { nothingSpent, overBudget, spentWith } from "./budget/spending.ts";
import type { Spending } from "./model/budget.ts";
import type { Usage } from "./model/playbook.ts";
import { parentRef } from "./parent_ref.ts";
import { type PlaybookFact, playbookMachine } from "./playbook_machine.ts";
import type { Spawn } from "./playbook/choose_turn.ts";
import { agentFailures } from "./playbook/agent_failures.ts";
import { callbackActor, slot } from "./slot.ts";
import { beginTask, type TaskContext, type TaskFact, type TaskInput } from "./task/task.ts";

export interface AgentSessionInput extends TaskInput {
  readonly run: AgentSessionRequest;
}

export interface AgentWorkInput {
  requestId: string;
  run: AgentSessionRequest;
}

export type AgentSessionEvent =
  | { type: "task.cancel" }
  /** Facts of the model's server. */
  | { type: "model.listening"; url: string }
  | { type: "model.failed"; error: unknown }
  | { type: "model.requested"; request: JudgedRequest }
  | { type: "model.spawned"; spawn: Spawn }
  | { type: "model.contradicted"; message: string }
  | { type: "model.broke"; message: string; upstream?: boolean }
  /** A real model has answered; without usage nobody can count it. */
  | { type: "model.used"; usage: Usage | undefined }
  /** Facts of the agent's process. */
  | { type: "agent.concluded" }
  | { type: "agent.ended"; exit: AgentExit }
  | { type: "agent.failed"; error: unknown }
  | PlaybookFact;

interface AgentSessionContext extends TaskContext, AgentSessionInput {
  url: string | undefined;
  prepared: PreparedAgent | undefined;
  exit: AgentExit | undefined;
  stopped: AgentStop | undefined;
  /** Turns of the playbook, and the cost of a real model. */
  played: PlaybookEnd & { spent: Spending };
  collected: CollectedSession | undefined;
}

/** Limits in ms: for the first request, for the end after a refusal or the last answer, and for what PTH does itself. */
const firstRequestMs = 60_000;
const refusedMs = 30_000;
const lingerMs = 30_000;
const stopMs = 30_000;
const prepareMs = 300_000; // an emulated machine takes minutes for an agent of hundreds of MB
const collectMs = 30_000;

/** Reason why the real model is asked no more, with one more answer of it. */
const spendingStop = (
  { run: { budget }, played: { spent } }: AgentSessionContext,
  usage: Usage | undefined,
) => {
  if (budget === undefined) return undefined;
  return usage === undefined
    ? "the budget cannot be kept: the model does not say what its answer has cost"
    : overBudget(spentWith(spent, usage, budget), budget);
};

const noteItsUsage = {
  type: "noteUsage",
  params: ({ event }: { event: { usage: Usage | undefined } }) => ({ usage: event.usage }),
} as const;

const tooLate = (what: string) => ({ error: new Error(`Cannot ${what}: it took too long`) });

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
    noteStop: assign((_, { stopped }: { stopped: AgentStop }) => ({ stopped })),
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
  },
  delays: {
    whole: ({ context }) => context.run.timeoutMs,
    firstRequest: ({ context }) => firstRequestMs * (context.prepared?.slowness ?? 1),
    refused: refusedMs,
    linger: lingerMs,
    stop: stopMs,
    preparation: prepareMs,
    collection: collectMs,
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
    stopped: undefined,
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
          actions: { type: "noteError", params: ({ event }) => ({ error: event.error }) },
        },
        "model.requested": {
          actions: sendTo("playbook", ({ event: { request } }) => ({ type: "playbook.requested", request })),
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
            preparation: {
              target: "#agentSession.failed",
              actions: { type: "noteError", params: () => tooLate("serve the model") },
            },
          },
        },
        preparing: {
          invoke: {
            src: "prepare",
            input: ({ context: { requestId, run, url } }) => ({ requestId, run, url: url! }),
            onDone: { target: "running", actions: assign({ prepared: ({ event }) => event.output }) },
            onError: {
              target: "#agentSession.failed",
              actions: { type: "noteError", params: ({ event }) => ({ error: event.error }) },
            },
          },
          on: { "task.cancel": { target: "#agentSession.failed", actions: "noteCancel" } },
          after: {
            preparation: {
              target: "#agentSession.failed",
              actions: { type: "noteError", params: () => tooLate("prepare the agent") },
            },
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
              actions: { type: "noteError", params: ({ event }) => ({ error: event.error }) },
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
            whole: {
              guard: not("isStopping"),
              target: ".stopping",
              actions: { type: "noteStop", params: { stopped: "timed-out" } },
            },
          },
          initial: "waiting",
          states: {
            /** The agent has not asked the model yet. */
            waiting: {
              on: {
                "model.requested": {
                  target: "working",
                  actions: sendTo(
                    "playbook",
                    ({ event: { request } }) => ({ type: "playbook.requested", request }),
                  ),
                },
              },
              after: {
                firstRequest: {
                  target: "stopping",
                  actions: { type: "noteStop", params: { stopped: "silent" } },
                },
              },
            },
            working: {
              on: {
                "playbook.refused": { target: "refused", actions: "tellServer" },
                "agent.concluded": "concluded",
              },
            },
            /** A request fitted no turn; agents end with such an answer, or ask again. */
            refused: {
              after: {
                refused: {
                  target: "stopping",
                  actions: { type: "noteStop", params: { stopped: "repeating" } },
                },
              },
            },
            /** The agent has said its last word. */
            concluded: {
              after: {
                linger: {
                  target: "stopping",
                  actions: { type: "noteStop", params: { stopped: "lingering" } },
                },
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
              actions: { type: "noteError", params: ({ event }) => ({ error: event.error }) },
            },
          },
          on: { "task.cancel": { target: "#agentSession.failed", actions: "noteCancel" } },
          after: {
            collection: {
              target: "#agentSession.failed",
              actions: { type: "noteError", params: () => tooLate("collect the trace") },
            },
          },
        },
      },
    },
    completed: {
      type: "final",
      entry: sendTo(
        parentRef,
        ({ context: { requestId, run, prepared, exit, stopped, collected, played } }): TaskFact => ({
          type: "task.completed",
          requestId,
          result: {
            agent: run.agent,
            version: prepared!.version,
            exit,
            stopped,
            ...collected!,
            failures: agentFailures({ exit, stopped, run, played, drift: collected!.drift }),
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
