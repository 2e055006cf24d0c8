/**
 * One session: its source, its environment, its plugin, its suite.
 *
 * Started by the harness; parent of the environment, the plugin, the suite and single calls. Requests carry an id and are
 * answered by `request.completed` or `request.failed` with that id. The regions of `open`, and the steps of `ending`,
 * are in files of their own in `session/`.
 */
import { assign, emit, sendTo } from "xstate";
import { parentRef } from "./parent_ref.ts";
import { agentRunRegion } from "./session/agent_run_region.ts";
import { branchRegion } from "./session/branch_region.ts";
import { dependenciesRegion } from "./session/dependencies_region.ts";
import { endingRegion } from "./session/ending_region.ts";
import { environmentRegion } from "./session/environment_region.ts";
import { iterationRegion } from "./session/iteration_region.ts";
import { pluginRegion } from "./session/plugin_region.ts";
import { actorOf, type SessionLifecycle } from "./session/session_model.ts";
import { sessionSetup } from "./session/session_setup.ts";
import { stopRegion } from "./session/stop_region.ts";
import { suiteRegion } from "./session/suite_region.ts";
import { tasks } from "./session/tasks.ts";
import { matrixRegion } from "./session/matrix_region.ts";

export type {
  SessionEnd,
  SessionEvent,
  SessionFact,
  SessionInput,
  SessionLifecycle,
  SessionRequest,
} from "./session/session_model.ts";

export const sessionMachine = sessionSetup.createMachine({
  id: "session",
  description: "One session: its source, its environment, its plugin, its suite.",
  context: ({ input }) => ({
    ...input,
    source: undefined,
    environment: undefined,
    provisioned: { info: undefined, config: undefined, tierAsked: false },
    dependencies: undefined,
    plugin: undefined,
    loaded: {
      request: undefined,
      coverage: false,
      pool: undefined,
      lost: undefined,
      failure: undefined,
      contract: undefined,
    },
    testing: undefined,
    pending: {},
    works: [],
    iteration: undefined,
    matrix: undefined,
    outcome: { keep: false, error: undefined, end: undefined },
  }),
  initial: "preparing",
  on: {
    "environment.destroy_failed": { actions: "passOn" },
  },
  states: {
    preparing: {
      invoke: {
        src: "prepareSource",
        input: ({ context: { sessionId, target, mode, force } }) => ({ sessionId, target, mode, force }),
        onDone: {
          target: "open",
          actions: [
            assign({ source: ({ event }) => event.output }),
            sendTo(parentRef, { type: "harness.session_opened" } satisfies SessionLifecycle),
            emit(({ event }) => ({ type: "session.opened", source: event.output })),
          ],
        },
        onError: {
          target: "ending.releasing",
          actions: [
            { type: "noteOutcome", params: ({ event }) => ({ error: event.error }) },
            emit(({ event }) => ({ type: "session.open_failed", error: event.error })),
          ],
        },
      },
      on: {
        "session.end": {
          target: "ending.releasing",
          actions: emit({
            type: "session.open_failed",
            error: new Error("Cannot start session: it was ended"),
          }),
        },
      },
    },
    open: {
      type: "parallel",
      on: {
        ...tasks,
        "session.end": {
          target: "ending",
          actions: [
            { type: "noteOutcome", params: ({ event }) => ({ keep: event.keep }) },
            "stopTasks",
            "refuseAll",
          ],
        },
        "operation.*": {
          actions: {
            type: "answerOne",
            params: ({ event }) =>
              event.type === "operation.completed"
                ? { type: "request.completed", requestId: event.requestId, result: event.output }
                : { type: "request.failed", requestId: event.requestId, error: event.error },
          },
        },
        // A call may outlive the plugin's readiness: it is told that its server goes away.
        "session.cancel_call": {
          // One that was answered meanwhile is no more.
          guard: ({ context, event }) => context.pending[event.callId]?.part === "call",
          actions: sendTo(({ context, event }) => actorOf(context, event.callId), { type: "call.cancel" }),
        },
        "call.*": {
          actions: {
            type: "answerOne",
            params: ({ event }) =>
              event.type === "call.finished"
                ? { type: "request.completed", requestId: event.requestId, result: event.outcome }
                : { type: "request.failed", requestId: event.requestId, error: event.error },
          },
        },
        "xstate.error.actor.*": { actions: "refuseDeadActor" },
        "environment.rolled_back": {
          actions: { type: "noteProvisioned", params: ({ event }) => ({ info: event.environment }) },
        },
      },
      states: {
        environment: environmentRegion,
        dependencies: dependenciesRegion,
        plugin: pluginRegion,
        branch: branchRegion,
        suite: suiteRegion,
        agentRun: agentRunRegion,
        iteration: iterationRegion,
        matrix: matrixRegion,
        stop: stopRegion,
      },
    },
    ending: endingRegion,
    ended: {
      type: "final",
      entry: "tellEnd",
    },
  },
});
