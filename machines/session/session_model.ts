/** Events, facts and context that the session machine and its regions share. */
import type { ActorRefFrom, AnyActorRef } from "xstate";
import type { AgentRunFact } from "../agent_run_machine.ts";
import type { CallFact } from "../call_machine.ts";
import type { DependenciesFact, dependenciesMachine } from "../dependencies_machine.ts";
import type { MatrixFact, matrixMachine } from "../matrix_machine.ts";
import type { EvalFact } from "../eval_run_machine.ts";
import type { FixtureRunFact } from "../model/fixture_run.ts";
import type { EnvironmentConfig } from "../model/environment.ts";
import type { EnvironmentFact, environmentMachine } from "../environment_machine.ts";
import type { IterationFact, iterationMachine } from "../iteration_machine.ts";
import type { ContractCheck } from "../model/contract.ts";
import type { LoadFact } from "../load_machine.ts";
import type { ToolDefinition } from "../model/plugin.ts";
import type { EnvironmentInfo, SessionSource, SessionTarget } from "../model/session.ts";
import type { PerformanceFact } from "../performance_machine.ts";
import type { LoadRequest, PluginFact, pluginMachine, PoolRef } from "../plugin_machine.ts";
import type { SuiteFact } from "../suite/suite_events.ts";
import type { ReloadReport } from "../model/reload_report.ts";
import type { TaskFact } from "../task/task.ts";
import type { BranchWorkRequest } from "../model/branch_work.ts";

import type { SessionRequest, SessionRequests } from "./session_requests.ts";

export interface SessionInput {
  readonly sessionId: string;
  /** Without secrets: only the names are here. */
  readonly target: SessionTarget;
  readonly mode: "run" | "session";
  readonly force: boolean;
}

export interface SessionEnd {
  branch: string | undefined;
  branchKept: boolean;
  commits: number;
  /** Changes of the branch since its base; absent without a branch. */
  changes?: { files: number; added: number; removed: number };
  /** Repository of the branch. */
  repository?: string;
  leftBehind: string[];
  kept: string[];
}

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
  | TaskFact
  | EvalFact
  | FixtureRunFact
  | LoadFact
  | WorkFact
  /** A child has died of an error of its own. */
  | { type: `xstate.error.actor.${string}`; error: unknown; actorId: string };

/** Facts for subscribers. */
export type SessionFact =
  | { type: "session.opened"; source: SessionSource }
  | { type: "session.open_failed"; error: unknown }
  | { type: "session.ended"; end: SessionEnd }
  | { type: "request.completed"; requestId: string; result: unknown }
  | { type: "request.failed"; requestId: string; error: unknown }
  | { type: "environment.destroy_failed"; error: unknown }
  | Extract<AgentRunFact, { type: "agent_run.finished" }>
  | Extract<
    IterationFact,
    { type: "iteration.phase" | "iteration.recorded" | "fix.committed" | "fix.refused" }
  >
  /** The loop has reloaded the plugin. */
  | { type: "plugin.reloaded"; reload: ReloadReport }
  | Extract<MatrixFact, { type: "matrix.phase" }>
  | EvalFact
  | Extract<LoadFact, { type: "plugin.loaded" }>
  /** A suite was accepted: none of its tests has begun. */
  | { type: "suite.began" }
  | SuiteFact
  | FixtureRunFact;

/** Facts for the harness. */
export type SessionLifecycle =
  | { type: "harness.session_opened" }
  | { type: "harness.session_ended"; end: SessionEnd; error: unknown };

/** Events of the actor that works on the branch. */
export type WorkFact =
  | { type: "work.completed"; output: unknown }
  | { type: "work.failed"; error: unknown };

/** The part that works on a request. All but the first four have one under way at a time. */
export type SessionRegion =
  | "operation"
  | "call"
  | "task"
  | "branch"
  /** The end of what is under way. */
  | "stop"
  /** A task that brings the plugin up. */
  | "load"
  /** A task that runs tests. */
  | "tests"
  /** A task that runs evals, or the plugin's own tests: about one environment and one source. */
  | "evals"
  | "environment"
  | "dependencies"
  | "plugin"
  | "suite"
  | "agentRun"
  | "iteration"
  | "matrix";

/** A request that was accepted, and not answered yet. */
export interface PendingRequest {
  part: SessionRegion;
  /** The child that asked; undefined: the outside. */
  replyTo: AnyActorRef | undefined;
  /** Id of the actor that works on this request alone. */
  actor?: string | undefined;
}

export type TestingActivity = "suite" | "performance" | "agentRun";

export interface SessionContext extends SessionInput {
  source: SessionSource | undefined;
  environment: ActorRefFrom<typeof environmentMachine> | undefined;
  provisioned: ProvisionedState;
  dependencies: ActorRefFrom<typeof dependenciesMachine> | undefined;
  plugin: ActorRefFrom<typeof pluginMachine> | undefined;
  loaded: LoadedState;
  /** The actor that runs tests, or measures: at most one at a time. */
  testing: TestingActivity | undefined;
  /** Every request that was accepted and is not answered yet, by its id: what works on it. */
  pending: Record<string, PendingRequest>;
  /** Works on the branch that were accepted, the one under way first. */
  works: ({ requestId: string } & BranchWorkRequest)[];
  iteration: ActorRefFrom<typeof iterationMachine> | undefined;
  matrix: ActorRefFrom<typeof matrixMachine> | undefined;
  outcome: SessionOutcome;
}

interface ProvisionedState {
  /** The environment that is there. */
  info: EnvironmentInfo | undefined;
  /** Configuration of the latest environment, also once that is gone; undefined before the first. */
  config: EnvironmentConfig | undefined;
  /** Whether the tier of the latest environment was given, and not chosen. */
  tierAsked: boolean;
}

interface LoadedState {
  /** Request of the latest load; undefined before the first. */
  request: LoadRequest | undefined;
  /** Servers that start from now on are measured. */
  coverage: boolean;
  /** Servers of the plugin that runs. */
  pool: PoolRef | undefined;
  /** Tools of a plugin that a reload stopped and could not start again. */
  lost: ToolDefinition[] | undefined;
  /** Error of the latest load or reload, if it failed. */
  failure: unknown;
  /** Comparison of the plugin with its stored contract by the latest load. */
  contract: ContractCheck | undefined;
}

interface SessionOutcome {
  /** Environment and source are to stay. */
  keep: boolean;
  /** Reason why the session could not open. */
  error: unknown;
  end: SessionEnd | undefined;
}

/** Parts of which each request has an actor of its own, and what that is called. */
const ownActors: { [Part in SessionRegion]?: string } = {
  call: "call",
  task: "task",
  load: "task",
  tests: "task",
  evals: "task",
};
/**
 * Id for the actor of a request that is accepted: the lowest number that is free. An actor's end is an event whose type has
 * the actor's id in it, and XState keeps the transitions that it found for each type: ids of which each is used once would
 * make it search every time, and keep more and more.
 */
export function freeActor(
  { pending }: Pick<SessionContext, "pending">,
  part: SessionRegion,
): string | undefined {
  const kind = ownActors[part];
  if (kind === undefined) return undefined;
  const taken = new Set(Object.values(pending).map(({ actor }) => actor));
  let number = 1;
  while (taken.has(`${kind}-${number}`)) number++;
  return `${kind}-${number}`;
}
/** Id of the actor that a call or a task has while it is not answered. */
export const actorOf = ({ pending }: Pick<SessionContext, "pending">, requestId: string): string =>
  pending[requestId]!.actor!;
/** Params of actions that refuse what a part was working on with the error of an event. */
export const errorOf = (part: SessionRegion) => ({ event }: { event: { error: unknown } }) => ({
  part,
  error: event.error,
});
/** A child's request that the session's state does not take, as the outside would not have been let in with it. */
export class RequestRefused extends Error {
  readonly request: keyof SessionRequests;
  /** State of the session. */
  readonly state: unknown;
  /** Whether evals are under way. */
  readonly evaluating: boolean;

  constructor(request: keyof SessionRequests, state: unknown, evaluating: boolean) {
    super(`Cannot take ${request} now`);
    this.request = request;
    this.state = state;
    this.evaluating = evaluating;
  }
}

export type { SessionRequest } from "./session_requests.ts";
