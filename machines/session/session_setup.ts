/** Types, slots, actions and guards of the session machine; its regions are made from it. */
import { and, emit, enqueueActions, or, sendTo, setup, stateIn } from "xstate";
import { agentRunMachine } from "../agent_run_machine.ts";
import { callMachine } from "../call_machine.ts";
import { dependenciesMachine } from "../dependencies_machine.ts";
import { distroVerificationMachine } from "../distro_verification_machine.ts";
import { environmentMachine } from "../environment_machine.ts";
import { iterationMachine } from "../iteration_machine.ts";
import type { EnvironmentInfo, SessionSource } from "../model/session.ts";
import { performanceMachine } from "../performance_machine.ts";
import { pluginMachine } from "../plugin_machine.ts";
import { slot } from "../slot.ts";
import { suiteMachine } from "../suite_machine.ts";
import {
  cancelled,
  type Part,
  type SessionContext,
  type SessionEnd,
  type SessionEvent,
  type SessionFact,
  type SessionInput,
} from "./session_model.ts";

interface ReleaseInput {
  sessionId: string;
  source: SessionSource | undefined;
  environment: EnvironmentInfo | undefined;
  keep: boolean;
}

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
    verification: distroVerificationMachine,
  },
  actions: {
    passOn: emit(({ event }) => event as SessionFact),
    /** Remembers whose request a part is working on. */
    accept: enqueueActions(({ context, event, enqueue }, { part }: { part: Part }) => {
      const { requestId } = event as { requestId: string };
      enqueue.assign({ pending: { ...context.pending, [part]: requestId } });
    }),
    /** Answers the request that a part was working on. */
    answer: enqueueActions(({ context, enqueue }, { part, result }: { part: Part; result?: unknown }) => {
      enqueue.emit({ type: "request.completed", requestId: context.pending[part]!, result });
    }),
    refuse: enqueueActions(({ context, enqueue }, { part, error }: { part: Part; error: unknown }) => {
      enqueue.emit({ type: "request.failed", requestId: context.pending[part]!, error });
    }),
    answerOperation: emit(({ event }): SessionFact => {
      if (event.type === "operation.completed") {
        return { type: "request.completed", requestId: event.requestId, result: event.output };
      }
      const { requestId, error } = event as { requestId: string; error: unknown };
      return { type: "request.failed", requestId, error };
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
    dropEnvironment: enqueueActions(({ enqueue }) => {
      enqueue.stopChild("environment");
      enqueue.assign({ environment: undefined, environmentInfo: undefined });
    }),
    refuseAll: enqueueActions(({ context, enqueue }) => {
      for (const requestId of Object.values(context.pending)) {
        enqueue.emit({ type: "request.failed", requestId, error: cancelled("request") });
      }
      enqueue.assign({ pending: {} });
    }),
  },
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
    noAgentRun: stateIn({ open: { agentRun: "absent" } }),
    /** No test runs, neither of a suite nor by an agent. */
    suiteIdle: and([stateIn({ open: { suite: "idle" } }), stateIn({ open: { agentRun: "absent" } })]),
  },
});
