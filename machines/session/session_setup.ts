/** Types, slots, actions and guards of the session machine; its regions are made from it. */
import { and, assign, emit, enqueueActions, not, or, sendTo, setup, stateIn } from "xstate";
import { cancelledError } from "../cancelled_error.ts";
import { agentRunMachine } from "../agent_run_machine.ts";
import { callMachine } from "../call_machine.ts";
import { dependenciesMachine } from "../dependencies_machine.ts";
import { matrixMachine } from "../matrix_machine.ts";
import { environmentMachine } from "../environment_machine.ts";
import { iterationMachine } from "../iteration_machine.ts";
import type { EnvironmentInfo, SessionSource } from "../model/session.ts";
import { parentRef } from "../parent_ref.ts";
import { performanceMachine } from "../performance_machine.ts";
import { pluginMachine } from "../plugin_machine.ts";
import { callbackActor, slot } from "../slot.ts";
import { suiteMachine } from "../suite_machine.ts";
import {
  actorOf,
  freeActor,
  RequestRefused,
  type SessionContext,
  type SessionEnd,
  type SessionEvent,
  type SessionFact,
  type SessionInput,
  type SessionLifecycle,
  type SessionRegion,
  type TestingActivity,
} from "./session_model.ts";
import { type Answer, isEvaluating, pendingOf, reply, withoutPart } from "./reply.ts";
import { isLoopUnderWay, isPermitted, isStepOfTests } from "./is_permitted.ts";
import { taskMachines } from "./task_machines.ts";
import type { BranchWorkRequest } from "../model/branch_work.ts";
import type { AnsweredRequest, Requested, SessionRequest } from "./session_requests.ts";

interface ReleaseInput {
  sessionId: string;
  source: SessionSource | undefined;
  environment: EnvironmentInfo | undefined;
  keep: boolean;
}

/** Limit in ms on the teardown of running tests when the session ends; the rest is removed with the environment. */
const endOfTestsMs = 5000;
/** Limit in ms on removing what the session made. */
export const releaseLimitMs = 120_000;

/** Id of the actor of the work under way. */
export const workActor = "work";

const wantsDependencies = ({ provisioned }: SessionContext): boolean =>
  (provisioned.info?.config.dependencyPlugins ?? []).length > 0;

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
    /** Commits, reverts, readings of the history: sends back `work.completed` or `work.failed`, hears `work.cancel`. */
    work: callbackActor<BranchWorkRequest>("session.work"),
    environment: environmentMachine,
    dependencies: dependenciesMachine,
    plugin: pluginMachine,
    suite: suiteMachine,
    performance: performanceMachine,
    agentRun: agentRunMachine,
    call: callMachine,
    iteration: iterationMachine,
    matrix: matrixMachine,
    ...taskMachines,
  },
  actions: {
    passOn: emit(({ event }) => event as SessionFact),
    /** Remembers whose request a part is working on. */
    accept: assign(({ context, event }, { part }: { part: SessionRegion }) => {
      const { requestId, replyTo } = event as Requested;
      const actor = freeActor(context, part);
      return { pending: { ...context.pending, [requestId]: { part, replyTo, actor } } };
    }),
    /** Answers what a part was working on. */
    answer: enqueueActions(
      ({ context, enqueue }, { part, result }: { part: SessionRegion; result?: unknown }) => {
        for (const requestId of pendingOf(context, part)) {
          reply(context, enqueue, { type: "request.completed", requestId, result });
        }
        enqueue.assign({ pending: withoutPart(context, part) });
      },
    ),
    refuse: enqueueActions(
      ({ context, enqueue }, { part, error }: { part: SessionRegion; error: unknown }) => {
        for (const requestId of pendingOf(context, part)) {
          reply(context, enqueue, { type: "request.failed", requestId, error });
        }
        enqueue.assign({ pending: withoutPart(context, part) });
      },
    ),
    /** Answers one of the requests that are worked on side by side; what was answered before is answered no more. */
    answerOne: enqueueActions(({ context, enqueue }, answer: Answer) => {
      const { [answer.requestId]: answered, ...others } = context.pending;
      if (answered === undefined) return;
      reply(context, enqueue, answer);
      enqueue.assign({ pending: others });
      if (answered.actor !== undefined) enqueue.stopChild(answered.actor);
    }),
    /** Lets work on the branch wait for its turn. */
    queueWork: enqueueActions(({ context, event, enqueue }) => {
      const { requestId, replyTo, type: _type, ...work } = event as Extract<
        AnsweredRequest,
        { type: "session.work" }
      >;
      enqueue.assign({
        pending: { ...context.pending, [requestId]: { part: "branch", replyTo } },
        works: [...context.works, { requestId, ...work }],
      });
    }),
    /** The work under way ends by itself, soon: what it has written must fit together. What waits is forgotten. */
    cancelWork: enqueueActions(({ context, event, enqueue }) => {
      const { requestId } = event as Requested;
      const at = context.works.findIndex((work) => work.requestId === requestId);
      if (at === 0) enqueue.sendTo(workActor, { type: "work.cancel" });
      if (at < 1) return;
      const { [requestId]: _answered, ...pending } = context.pending;
      const error = cancelledError("the work on the branch");
      reply(context, enqueue, { type: "request.failed", requestId, error });
      enqueue.assign({ pending, works: context.works.toSpliced(at, 1) });
    }),
    /** Answers the work on the branch that was under way, and forgets it. */
    endWork: enqueueActions(({ context, event, enqueue }) => {
      const [work, ...works] = context.works;
      const { requestId } = work!;
      const { [requestId]: _answered, ...pending } = context.pending;
      reply(
        context,
        enqueue,
        event.type === "work.completed"
          ? { type: "request.completed", requestId, result: event.output }
          : { type: "request.failed", requestId, error: (event as { error: unknown }).error },
      );
      enqueue.assign({ works, pending });
    }),
    tellEnd: enqueueActions(({ context, enqueue }) => {
      enqueue.emit({ type: "session.ended", end: context.outcome.end! });
      enqueue.sendTo(
        parentRef,
        {
          type: "harness.session_ended",
          end: context.outcome.end!,
          error: context.outcome.error,
        } satisfies SessionLifecycle,
      );
    }),
    /** A child's request that nothing takes in this state is refused, as the outside's would not be let in. */
    refuseUntaken: enqueueActions(({ context, event, enqueue, self }) => {
      const { requestId, replyTo, request } = event as Extract<
        SessionRequest,
        { type: "session.expect_answer" }
      >;
      const error = new RequestRefused(request, self.getSnapshot().value, isEvaluating(context));
      enqueue.sendTo(replyTo!, { type: "request.failed", requestId, error });
    }),
    /** Passes a cancel on to what works on the request. */
    cancelRequest: enqueueActions(({ context, event, enqueue }) => {
      const { id } = event as { id: string };
      const part = context.pending[id]?.part;
      if (part === "task" || part === "load" || part === "tests" || part === "evals") {
        enqueue.sendTo(actorOf(context, id), { type: "task.cancel" });
      }
      if (part === "branch") enqueue.raise({ type: "session.cancel_work", requestId: id });
      if (part === "operation") enqueue.raise({ type: "session.cancel_operation", operationId: id });
      if (part === "call") enqueue.raise({ type: "session.cancel_call", callId: id });
      if (part === "environment") enqueue.raise({ type: "session.cancel_provision" });
      if (part === "dependencies") enqueue.raise({ type: "session.cancel_dependencies" });
      if (part === "plugin") enqueue.raise({ type: "session.cancel_load" });
      if (part === "stop") {
        reply(context, enqueue, {
          type: "request.failed",
          requestId: id,
          error: cancelledError("what is under way"),
        });
        const { [id]: _answered, ...pending } = context.pending;
        enqueue.assign({ pending });
      }
      if (part === "suite") enqueue.raise({ type: "session.cancel_suite" });
      if (part === "iteration") enqueue.raise({ type: "session.cancel_iteration" });
      if (part === "matrix") enqueue.raise({ type: "session.cancel_matrix" });
    }),
    /** Cancels whatever runs tests. The loop and the matrix, where they are under way, cancel runs of their own. */
    cancelAll: enqueueActions(({ context, enqueue }) => {
      enqueue.raise({ type: "session.cancel_matrix" });
      enqueue.raise({ type: "session.cancel_iteration" });
      if (isLoopUnderWay(context)) return;
      for (const requestId of pendingOf(context, "tests", "evals")) {
        enqueue.sendTo(actorOf(context, requestId), { type: "task.cancel" });
      }
    }),
    /** At the session's end nothing more is asked for. */
    stopTasks: enqueueActions(({ context, enqueue }) => {
      for (const requestId of pendingOf(context, "task", "load", "tests", "evals")) {
        enqueue.stopChild(actorOf(context, requestId));
      }
    }),
    /** A call whose actor has died gives back what it leased. */
    refuseDeadActor: enqueueActions(({ context, event, enqueue }) => {
      const { actorId, error } = event as { actorId: string; error: unknown };
      const found = Object.entries(context.pending).find(([, { actor }]) => actor === actorId);
      if (found === undefined) return;
      const [requestId, { part }] = found;
      if (context.loaded.pool && part === "call") {
        enqueue.sendTo(context.loaded.pool, { type: "lease.released", leaseId: requestId, restart: true });
      }
      enqueue.stopChild(actorId);
      reply(context, enqueue, { type: "request.failed", requestId, error });
      const { [requestId]: _answered, ...others } = context.pending;
      enqueue.assign({ pending: others });
    }),
    noteOutcome: assign({
      outcome: ({ context }, outcome: Partial<SessionContext["outcome"]>) => ({
        ...context.outcome,
        ...outcome,
      }),
    }),
    noteProvisioned: assign({
      provisioned: ({ context }, provisioned: Partial<SessionContext["provisioned"]>) => ({
        ...context.provisioned,
        ...provisioned,
      }),
    }),
    /** Takes over whether servers are to be measured, where the request says it. */
    noteCoverage: assign({
      loaded: (
        { context: { loaded } },
        { coverage = loaded.coverage }: { coverage: boolean | undefined },
      ) => ({
        ...loaded,
        coverage,
      }),
    }),
    noteLoaded: assign({
      loaded: ({ context }, loaded: Partial<SessionContext["loaded"]>) => ({ ...context.loaded, ...loaded }),
    }),
    noteLeft: assign({
      outcome: ({ context }, { left }: { left: string }) => ({
        ...context.outcome,
        end: {
          branch: context.source?.branch,
          branchKept: true,
          commits: 0,
          leftBehind: [left],
          kept: [],
        },
      }),
    }),
    noteTesting: assign({ testing: (_, { testing }: { testing: TestingActivity }) => testing }),
    dropTesting: enqueueActions(({ context: { testing }, enqueue }) => {
      if (testing !== undefined) enqueue.stopChild(testing);
      enqueue.assign({ testing: undefined });
    }),
    /** Cancels all that runs tests; each reports its end. */
    cancelTesting: enqueueActions(({ context: { testing }, enqueue }) => {
      if (testing === "suite") enqueue.sendTo("suite", { type: "suite.cancel" });
      if (testing === "performance") enqueue.sendTo("performance", { type: "performance.cancel" });
      if (testing === "agentRun") {
        enqueue.sendTo("agentRun", { type: "agent_run.abandon", reason: "the session ends" });
      }
    }),
    reloadPlugin: sendTo(
      ({ context }) => context.plugin!,
      ({ context }) => ({ type: "plugin.reload", coverage: context.loaded.coverage }),
    ),
    stopPlugin: enqueueActions(({ context, enqueue }) => {
      if (context.plugin) enqueue.sendTo(context.plugin, { type: "plugin.stop" });
    }),
    stopDependencies: enqueueActions(({ context, enqueue }) => {
      if (context.dependencies) enqueue.sendTo(context.dependencies, { type: "dependencies.stop" });
    }),
    /** Stops servers for a rollback and keeps them from restarting meanwhile. */
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
      if (context.environment && !context.outcome.keep) {
        enqueue.sendTo(context.environment, { type: "environment.destroy" });
      }
    }),
    dropPlugin: enqueueActions(({ context, enqueue }) => {
      enqueue.stopChild("plugin");
      enqueue.assign({ plugin: undefined, loaded: { ...context.loaded, pool: undefined } });
    }),
    dropDependencies: enqueueActions(({ enqueue }) => {
      enqueue.stopChild("dependencies");
      enqueue.assign({ dependencies: undefined });
    }),
    /** Answers the requests that it has not answered: it will not any more. */
    dropEnvironment: enqueueActions(({ context, enqueue }) => {
      const error = cancelledError("operation: the environment is gone");
      for (const requestId of pendingOf(context, "operation")) {
        reply(context, enqueue, { type: "request.failed", requestId, error });
      }
      enqueue.stopChild("environment");
      enqueue.assign({
        environment: undefined,
        provisioned: { ...context.provisioned, info: undefined },
        pending: withoutPart(context, "operation"),
      });
    }),
    refuseAll: enqueueActions(({ context, enqueue }) => {
      for (const [requestId, { replyTo }] of Object.entries(context.pending)) {
        // A child that asked is stopped, too.
        if (replyTo !== undefined) continue;
        enqueue.emit({ type: "request.failed", requestId, error: cancelledError("request") });
      }
      enqueue.assign({ pending: {}, works: [] });
    }),
  },
  delays: { tests: endOfTestsMs, releasing: releaseLimitMs },
  guards: {
    environmentReady: stateIn({ open: { environment: "ready" } }),
    dependenciesWanted: ({ context }) => wantsDependencies(context),
    /** Whether all requested dependencies run, as far as the session knows. */
    dependenciesUp: or([
      ({ context }) => !wantsDependencies(context),
      stateIn({ open: { dependencies: "ready" } }),
    ]),
    dependenciesAbsent: stateIn({ open: { dependencies: "absent" } }),
    pluginAbsent: stateIn({ open: { plugin: "absent" } }),
    pluginReady: stateIn({ open: { plugin: "ready" } }),
    /** Neither the loop nor the matrix is under way, or the request is a step of it. */
    isPermitted: ({ context, event }) => isPermitted(context, event as Requested),
    moreWaits: ({ context }) => context.works.length > 1,
    /** A child waits for an answer, and nothing works on what it asked. */
    isUntaken: ({ context, event }) => {
      const { requestId, replyTo } = event as Requested;
      return context.pending[requestId] === undefined && replyTo?.getSnapshot().status === "active";
    },
    mayRestore: and(["isPermitted", stateIn({ open: { environment: "ready" } }), "settled"]),
    /** A resume begins where there is no environment yet. */
    mayResume: and(["isPermitted", stateIn({ open: { environment: "absent" } })]),
    /** Whether the environment may be replaced: there is none, or no work runs in it that could not be stopped. */
    mayReplace: and(["isPermitted", or([stateIn({ open: { environment: "absent" } }), "mayRestore"])]),
    /**
     * Whether the plugin may be loaded: there is an environment, no test runs, and nothing else starts or stops
     * the plugin.
     */
    mayLoad: and([
      "isPermitted",
      "environmentReady",
      "suiteIdle",
      "pluginAtRest",
      ({ context }) => pendingOf(context, "load", "evals").length === 0,
    ]),
    pluginAtRest: or([stateIn({ open: { plugin: "absent" } }), stateIn({ open: { plugin: "ready" } })]),
    /** Evals and the plugin's own tests are about one environment and one source: meanwhile neither changes. */
    mayEvaluate: and([
      "isPermitted",
      "environmentReady",
      "noTestRun",
      ({ context }) => pendingOf(context, "load").length === 0,
    ]),
    isStepOfTests: ({ context, event }) => isStepOfTests(context, event as Requested),
    mayRunOwnTests: or(["mayEvaluate", and(["environmentReady", "suiteIdle", "isStepOfTests"])]),
    /** Neither a loop nor a run of tests is under way. */
    hasStopped: and([
      "noTestRun",
      not(stateIn({ open: { iteration: "running" } })),
      not(stateIn({ open: { matrix: "running" } })),
    ]),
    /** No task chooses, runs or collects tests, or runs evals or the plugin's own tests. */
    noTestRun: ({ context }) => pendingOf(context, "tests", "evals").length === 0,
    notIterating: stateIn({ open: { iteration: "idle" } }),
    hasMatrix: ({ context }) => context.matrix !== undefined,
    /** Neither tests nor evals nor the plugin's own tests run, and neither the plugin nor a dependency is on its way up or down. */
    settled: and([
      "suiteIdle",
      "pluginAtRest",
      not(stateIn({ open: { dependencies: "starting" } })),
      not(stateIn({ open: { dependencies: "stopping" } })),
      ({ context }) => !isEvaluating(context),
    ]),
    testsOver: ({ context }) => context.testing === undefined,
    pluginGone: ({ context }) => context.plugin === undefined,
    dependenciesGone: ({ context }) => context.dependencies === undefined,
    goneOrKept: ({ context }) => context.environment === undefined || context.outcome.keep,
    noAgentRun: stateIn({ open: { agentRun: "absent" } }),
    /** No test runs, neither of a suite nor by an agent. */
    suiteIdle: and([stateIn({ open: { suite: "idle" } }), stateIn({ open: { agentRun: "absent" } })]),
  },
});
