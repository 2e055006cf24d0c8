/** What the session machine and its regions share: events, facts, context. */
import type { ActorRefFrom } from "xstate";
import type { AgentRunFact } from "../agent_run_machine.ts";
import type { CallFact } from "../call_machine.ts";
import type { DependenciesFact, dependenciesMachine } from "../dependencies_machine.ts";
import type { MatrixFact, matrixMachine } from "../matrix_machine.ts";
import type { EnvironmentFact, environmentMachine, Operation } from "../environment_machine.ts";
import type { IterationFact, IterationInput, iterationMachine } from "../iteration_machine.ts";
import type { EnvironmentConfig } from "../model/environment.ts";
import type { IterationRun, TestStatuses, TestStatusSummary } from "../model/iteration.ts";
import type { MatrixAnswer, MatrixRun } from "../model/matrix.ts";
import type { PlannedTest, RunRules } from "../model/observation.ts";
import type { EnvironmentInfo, SessionSource, SessionTarget } from "../model/session.ts";
import type { PerformanceRequest } from "../model/performance.ts";
import type { PerformanceFact } from "../performance_machine.ts";
import type { LoadRequest, PluginFact, pluginMachine, PoolRef } from "../plugin_machine.ts";
import type { SuiteFact } from "../suite_machine.ts";
import type { JudgedItem } from "../model/verdict.ts";

export interface SessionInput {
  sessionId: string;
  /** Without secrets: only the names are here. */
  target: SessionTarget;
  mode: "run" | "session";
  force: boolean;
}

export interface SessionEnd {
  branch: string | undefined;
  branchKept: boolean;
  commits: number;
  /** Of the branch since its base; absent without a branch. */
  changes?: { files: number; added: number; removed: number };
  /** Where the branch is. */
  repository?: string;
  leftBehind: string[];
  kept: string[];
}

interface Requested {
  requestId: string;
}

export type SessionRequest =
  | ({ type: "session.provision"; config: Partial<EnvironmentConfig> } & Requested)
  | ({ type: "session.destroy_environment" } & Requested)
  | ({ type: "session.abandon_environment" } & Requested)
  | ({ type: "session.perform" } & Operation)
  | ({ type: "session.snapshot"; tag: string } & Requested)
  | ({ type: "session.rollback"; snapshot: string } & Requested)
  /** Before the plugin under test is loaded, and again after a rollback. */
  | ({ type: "session.start_dependencies" } & Requested)
  | ({ type: "session.stop_dependencies" } & Requested)
  | ({ type: "session.load"; load: LoadRequest } & Requested)
  | ({ type: "session.reload" } & Requested)
  | ({ type: "session.unload" } & Requested)
  | ({ type: "session.call"; tool: string; input: Record<string, unknown>; limitMs: number } & Requested)
  | ({
    type: "session.run_suite";
    tests: PlannedTest[];
    workers: number;
    rules: RunRules;
    bail: number | undefined;
  } & Requested)
  | ({ type: "session.begin_agent_run"; runId: string; test: PlannedTest } & Requested)
  | ({ type: "session.agent_call"; tool: string; input: Record<string, unknown> } & Requested)
  | ({ type: "session.close_agent_run"; checklist: JudgedItem[] } & Requested)
  /** Work on the session branch; `kind` and `args` are known to the slot. */
  | ({ type: "session.work"; kind: string; args: Record<string, unknown> } & Requested)
  /** `history` is what an interrupted session leaves to the loop; it counts with the first request only. */
  | ({
    type: "session.iterate";
    run: IterationRun;
    standing: TestStatusSummary;
    statuses: TestStatuses;
    history: IterationInput;
  } & Requested)
  | { type: "session.cancel_iteration" }
  | ({ type: "session.verify_distros"; run: MatrixRun } & Requested)
  /** For the one that awaits fixes. */
  | ({ type: "session.answer_verification"; answer: MatrixAnswer } & Requested)
  | { type: "session.cancel_verification" }
  | ({
    type: "session.measure_performance";
    request: PerformanceRequest;
    known: Record<string, Record<string, unknown>>;
  } & Requested)
  | { type: "session.cancel_performance" }
  | { type: "session.cancel_suite" }
  | { type: "session.cancel_agent_call" }
  | { type: "session.abandon_agent_run"; reason: string }
  | { type: "session.cancel_provision" }
  | { type: "session.cancel_dependencies" }
  | { type: "session.cancel_load" }
  | { type: "session.cancel_operation"; operationId: string }
  | { type: "session.cancel_call"; callId: string }
  | { type: "session.end"; keep: boolean };

export type SessionEvent =
  | SessionRequest
  | EnvironmentFact
  | DependenciesFact
  | PluginFact
  | SuiteFact
  | PerformanceFact
  | AgentRunFact
  | CallFact
  | IterationFact
  | MatrixFact
  /** A child has died of an error of its own. */
  | { type: `xstate.error.actor.${string}`; error: unknown; actorId: string };

/** What the outside hears. */
export type SessionFact =
  | { type: "session.opened"; source: SessionSource }
  | { type: "session.open_failed"; error: unknown }
  | { type: "session.ended"; end: SessionEnd }
  | { type: "request.completed"; requestId: string; result: unknown }
  | { type: "request.failed"; requestId: string; error: unknown }
  | { type: "environment.destroy_failed"; error: unknown }
  | Extract<AgentRunFact, { type: "agent_run.finished" }>
  | SuiteFact;

/** What the harness hears. */
export type SessionLifecycle =
  | { type: "harness.session_opened" }
  | { type: "harness.session_ended"; end: SessionEnd; error: unknown };

/** The part that works on a request. All but `operation` and `call` have one under way at a time. */
export type SessionRegion =
  | "operation"
  | "call"
  | "environment"
  | "dependencies"
  | "plugin"
  | "suite"
  | "agentRun"
  | "branch"
  | "iteration"
  | "verification";

export type TestingActivity = "suite" | "performance" | "agentRun";

export interface SessionContext extends SessionInput {
  source: SessionSource | undefined;
  error: unknown;
  keep: boolean;
  environment: ActorRefFrom<typeof environmentMachine> | undefined;
  environmentInfo: EnvironmentInfo | undefined;
  dependencies: ActorRefFrom<typeof dependenciesMachine> | undefined;
  plugin: ActorRefFrom<typeof pluginMachine> | undefined;
  pool: PoolRef | undefined;
  /** The actor that runs tests, or measures: at most one at a time. */
  testing: TestingActivity | undefined;
  /** Every request that was accepted and is not answered yet, by its id: what works on it. */
  pending: Record<string, SessionRegion>;
  /** What the branch region is working on. */
  work: { kind: string; args: Record<string, unknown> } | undefined;
  iteration: ActorRefFrom<typeof iterationMachine> | undefined;
  verification: ActorRefFrom<typeof matrixMachine> | undefined;
  end: SessionEnd | undefined;
}

const callPrefix = "call-";
export const callActor = (requestId: string): string => `${callPrefix}${requestId}`;
/** The request that an actor works on, if it is a call's. */
export const requestOf = (actorId: string): string | undefined =>
  actorId.startsWith(callPrefix) ? actorId.slice(callPrefix.length) : undefined;
/** Params of actions that refuse what a part was working on with the error of an event. */
export const errorOf = (part: SessionRegion) => ({ event }: { event: { error: unknown } }) => ({
  part,
  error: event.error,
});
/** Named as the platform names it, so that it is known as no fault. */
export const cancelledError = (work: string): Error =>
  Object.assign(new Error(`Cannot finish ${work}: it was cancelled`), { name: "AbortError" });
