/** Types, slots, actions and guards of the session machine; its regions are made from it. */
import { and, assign, emit, enqueueActions, not, or, sendTo, setup, stateIn } from "xstate";
import { agentRunMachine } from "../agent_run_machine.ts";
import { callMachine } from "../call_machine.ts";
import { dependenciesMachine } from "../dependencies_machine.ts";
import { matrixMachine } from "../matrix_machine.ts";
import { environmentMachine } from "../environment_machine.ts";
import { iterationMachine } from "../iteration_machine.ts";
import type { EnvironmentInfo, SessionSource } from "../model/session.ts";
import { performanceMachine } from "../performance_machine.ts";
import { pluginMachine } from "../plugin_machine.ts";
import { slot } from "../slot.ts";
import { suiteMachine } from "../suite_machine.ts";
import {
  cancelledError,
  requestOf,
  type SessionContext,
  type SessionEnd,
  type SessionEvent,
  type SessionFact,
  type SessionInput,
  type SessionRegion,
  type TestingActivity,
} from "./session_model.ts";

interface ReleaseInput {
  sessionId: string;
  source: SessionSource | undefined;
  environment: EnvironmentInfo | undefined;
  keep: boolean;
}

/** How long tests in flight get for their teardown when the session ends, in ms: what they made goes with the environment. */
const endOfTestsMs = 5000;
/** How long removing what the session made may take, in ms. */
export const releaseLimitMs = 120_000;

type Answer = Extract<SessionFact, { type: "request.completed" | "request.failed" }>;

const pendingOf = ({ pending }: SessionContext, part: SessionRegion): string[] =>
  Object.keys(pending).filter((requestId) => pending[requestId] === part);
const withoutPart = ({ pending }: SessionContext, part: SessionRegion): SessionContext["pending"] =>
  Object.fromEntries(Object.entries(pending).filter(([, its]) => its !== part));

const wantsDependencies = ({ environmentInfo }: SessionContext): boolean =>
  (environmentInfo?.config.dependencyPlugins ?? []).length > 0;

export const sessionSetup = setup({
  types: {
    context: {} as SessionContext,
    input: {} as SessionInput,
    events: {} as SessionEvent,
    emitted: {} as SessionFact,
  },
  actors: {
    prepareSource: slot<SessionSource, SessionInput>("session.prepare_source"),
    /** Removes what the session made; also what a cut-short preparation left. */
    release: slot<SessionEnd, ReleaseInput>("session.release"),
    /** Commits, reverts, readings of the history: one after the other. */
    work: slot<unknown, { kind: string; args: Record<string, unknown> }>("session.work"),
    environment: environmentMachine,
    dependencies: dependenciesMachine,
    plugin: pluginMachine,
    suite: suiteMachine,
    performance: performanceMachine,
    agentRun: agentRunMachine,
    call: callMachine,
    iteration: iterationMachine,
    verification: matrixMachine,
  },
  actions: {
    passOn: emit(({ event }) => event as SessionFact),
    /** Remembers whose request a part is working on. */
    accept: enqueueActions(({ context, event, enqueue }, { part }: { part: SessionRegion }) => {
      const { requestId } = event as { requestId: string };
      enqueue.assign({ pending: { ...context.pending, [requestId]: part } });
    }),
    /** Answers what a part was working on. */
    answer: enqueueActions(
      ({ context, enqueue }, { part, result }: { part: SessionRegion; result?: unknown }) => {
        for (const requestId of pendingOf(context, part)) {
          enqueue.emit({ type: "request.completed", requestId, result });
        }
        enqueue.assign({ pending: withoutPart(context, part) });
      },
    ),
    refuse: enqueueActions(
      ({ context, enqueue }, { part, error }: { part: SessionRegion; error: unknown }) => {
        for (const requestId of pendingOf(context, part)) {
          enqueue.emit({ type: "request.failed", requestId, error });
        }
        enqueue.assign({ pending: withoutPart(context, part) });
      },
    ),
    /** Answers one of the requests that are worked on side by side; what was answered before is answered no more. */
    answerOne: enqueueActions(({ context: { pending }, enqueue }, answer: Answer) => {
      if (pending[answer.requestId] === undefined) return;
      enqueue.emit(answer);
      const { [answer.requestId]: _answered, ...others } = pending;
      enqueue.assign({ pending: others });
    }),
    /** A call whose actor has died gives back what it leased. */
    refuseDeadCall: enqueueActions(({ context, event, enqueue }) => {
      const { actorId, error } = event as { actorId: string; error: unknown };
      const requestId = requestOf(actorId);
      if (requestId === undefined || context.pending[requestId] === undefined) return;
      if (context.pool) {
        enqueue.sendTo(context.pool, { type: "lease.released", leaseId: requestId, restart: true });
      }
      enqueue.stopChild(actorId);
      enqueue.emit({ type: "request.failed", requestId, error });
      const { [requestId]: _answered, ...others } = context.pending;
      enqueue.assign({ pending: others });
    }),
    noteLeft: assign({
      end: ({ context }, { left }: { left: string }) => ({
        branch: context.source?.branch,
        branchKept: true,
        commits: 0,
        leftBehind: [left],
        kept: [],
      }),
    }),
    noteTesting: assign({ testing: (_, { testing }: { testing: TestingActivity }) => testing }),
    dropTesting: enqueueActions(({ context: { testing }, enqueue }) => {
      if (testing !== undefined) enqueue.stopChild(testing);
      enqueue.assign({ testing: undefined });
    }),
    /** Whatever runs tests ends them in order, and tells its end. */
    cancelTesting: enqueueActions(({ context: { testing }, enqueue }) => {
      if (testing === "suite") enqueue.sendTo("suite", { type: "suite.cancel" });
      if (testing === "performance") enqueue.sendTo("performance", { type: "performance.cancel" });
      if (testing === "agentRun") {
        enqueue.sendTo("agentRun", { type: "agent_run.abandon", reason: "the session ends" });
      }
    }),
    reloadPlugin: sendTo(({ context }) => context.plugin!, { type: "plugin.reload" }),
    stopPlugin: enqueueActions(({ context, enqueue }) => {
      if (context.plugin) enqueue.sendTo(context.plugin, { type: "plugin.stop" });
    }),
    stopDependencies: enqueueActions(({ context, enqueue }) => {
      if (context.dependencies) enqueue.sendTo(context.dependencies, { type: "dependencies.stop" });
    }),
    /** What a rollback ends must not be started anew beside it: it starts in order afterwards. */
    restServers: enqueueActions(({ context, enqueue }) => {
      if (context.plugin) enqueue.sendTo(context.plugin, { type: "plugin.rest" });
      if (context.dependencies) enqueue.sendTo(context.dependencies, { type: "dependencies.rest" });
    }),
    wakeServers: enqueueActions(({ context, enqueue }) => {
      if (context.plugin) enqueue.sendTo(context.plugin, { type: "plugin.wake" });
      if (context.dependencies) enqueue.sendTo(context.dependencies, { type: "dependencies.wake" });
    }),
    destroyEnvironment: enqueueActions(({ context, enqueue }) => {
      if (context.environment) enqueue.sendTo(context.environment, { type: "environment.destroy" });
    }),
    destroyUnlessKept: enqueueActions(({ context, enqueue }) => {
      if (context.environment && !context.keep) {
        enqueue.sendTo(context.environment, { type: "environment.destroy" });
      }
    }),
    dropPlugin: enqueueActions(({ enqueue }) => {
      enqueue.stopChild("plugin");
      enqueue.assign({ plugin: undefined, pool: undefined });
    }),
    dropDependencies: enqueueActions(({ enqueue }) => {
      enqueue.stopChild("dependencies");
      enqueue.assign({ dependencies: undefined });
    }),
    /** Answers the requests that it has not answered: it will not any more. */
    dropEnvironment: enqueueActions(({ context, enqueue }) => {
      const error = cancelledError("operation: the environment is gone");
      for (const requestId of pendingOf(context, "operation")) {
        enqueue.emit({ type: "request.failed", requestId, error });
      }
      enqueue.stopChild("environment");
      enqueue.assign({
        environment: undefined,
        environmentInfo: undefined,
        pending: withoutPart(context, "operation"),
      });
    }),
    refuseAll: enqueueActions(({ context, enqueue }) => {
      for (const requestId of Object.keys(context.pending)) {
        enqueue.emit({ type: "request.failed", requestId, error: cancelledError("request") });
      }
      enqueue.assign({ pending: {} });
    }),
  },
  delays: { tests: endOfTestsMs, releasing: releaseLimitMs },
  guards: {
    environmentReady: stateIn({ open: { environment: "ready" } }),
    dependenciesWanted: ({ context }) => wantsDependencies(context),
    /** Those that are asked for run, as far as the session knows. */
    dependenciesUp: or([
      ({ context }) => !wantsDependencies(context),
      stateIn({ open: { dependencies: "ready" } }),
    ]),
    dependenciesAbsent: stateIn({ open: { dependencies: "absent" } }),
    pluginAbsent: stateIn({ open: { plugin: "absent" } }),
    pluginReady: stateIn({ open: { plugin: "ready" } }),
    notIterating: stateIn({ open: { iteration: "idle" } }),
    /** There is a verification that may go on. */
    isVerifying: ({ context }) => context.verification !== undefined,
    /** No test runs, and neither the plugin nor a dependency is on its way up or down. */
    settled: and([
      stateIn({ open: { suite: "idle" } }),
      stateIn({ open: { agentRun: "absent" } }),
      or([stateIn({ open: { plugin: "absent" } }), stateIn({ open: { plugin: "ready" } })]),
      not(stateIn({ open: { dependencies: "starting" } })),
      not(stateIn({ open: { dependencies: "stopping" } })),
    ]),
    testsOver: ({ context }) => context.testing === undefined,
    pluginGone: ({ context }) => context.plugin === undefined,
    dependenciesGone: ({ context }) => context.dependencies === undefined,
    goneOrKept: ({ context }) => context.environment === undefined || context.keep,
    noAgentRun: stateIn({ open: { agentRun: "absent" } }),
    /** No test runs, neither of a suite nor by an agent. */
    suiteIdle: and([stateIn({ open: { suite: "idle" } }), stateIn({ open: { agentRun: "absent" } })]),
  },
});
