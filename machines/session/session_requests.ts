/**
 * Requests to a session, each answered once with its id: arguments, result, the words of its errors, and the event that
 * gives it up. A request is added with one entry here, a transition that accepts it, and the slot that does it.
 */
import type { LoadRequest } from "../plugin_machine.ts";
import type { AgentSessionRequest, AgentSessionResult } from "../model/agent_session.ts";
import type { FixtureRunRequest, FixtureRunResult } from "../model/fixture_run.ts";
import type { AgentRunEnd } from "../model/agent_run.ts";
import type { BranchWorkRequest, ClosedWork, ExportOptions } from "../model/branch_work.ts";
import type { HookRunRequest, HookRunResult } from "../model/hook_run.ts";
import type { EnvironmentConfig } from "../model/environment.ts";
import type { OperationRequest } from "../model/environment_operations.ts";
import type { EvalRequest } from "../model/eval_request.ts";
import type { EvalReport } from "../model/eval_result.ts";
import type { InstallCheckRequest, InstallCheckResult } from "../model/install_check.ts";
import type { FixRequest, FixResult, RevertResult } from "../model/fix.ts";
import type {
  IterationInput,
  IterationOutcome,
  IterationRun,
  TestStatuses,
  TestStatusSummary,
} from "../model/iteration.ts";
import type { MatrixAnswer, MatrixEnd, MatrixRun } from "../model/matrix.ts";
import type { PlannedTest, RunRules } from "../model/observation.ts";
import type { SuiteOptions } from "../model/suite_options.ts";
import type { TestRunResult } from "../model/test_result.ts";
import type { PerformanceReport, PerformanceRequest } from "../model/performance.ts";
import type { ProjectTestAnswer, ProjectTestRun } from "../model/project_test_run.ts";
import type { CallOutcome, CloseReport } from "../model/plugin.ts";
import type { EnvironmentInfo, LoadedPlugin, PluginInfo } from "../model/session.ts";
import type { JudgedItem } from "../model/verdict.ts";
import type { ResumedWork } from "../model/resume.ts";
import type { ReloadReport } from "../model/reload_report.ts";
import type { CleanRunResult, RestoreResult } from "../model/session.ts";
import type { AnyActorRef } from "xstate";

/** Events that give up what is under way; who asked is told by the refusal of the request. */
export type SessionCancellation =
  | { type: "session.cancel_provision" }
  | { type: "session.cancel_dependencies" }
  | { type: "session.cancel_load" }
  | { type: "session.cancel_work"; requestId: string }
  | { type: "session.cancel_operation"; operationId: string }
  | { type: "session.cancel_call"; callId: string }
  | { type: "session.cancel_suite" }
  | { type: "session.cancel_performance" }
  | { type: "session.cancel_agent_call" }
  | { type: "session.abandon_agent_run"; reason: string }
  | { type: "session.cancel_iteration" }
  | { type: "session.cancel_matrix" }
  /** Cancels any request by its id, where it can be cancelled. */
  | { type: "session.cancel_request"; id: string };

/** The words of a request's errors, and the event that gives it up. */
export interface RequestWords {
  /** Completes "Cannot …". */
  action: string;
  /** Absent for what is over soon, or cannot be stopped half-way. */
  cancel?: (requestId: string) => SessionCancellation;
}

interface RequestDefinition<Args, Result> extends RequestWords {
  /** For the compiler alone. */
  types?: { args: Args; result: Result };
}

type NoArgs = Record<never, never>;
/** Id of the outside's request at whose root a task is: whoever made it can be asked for configuration. */
interface FromCaller {
  caller?: string;
}
interface Measured {
  /** Servers that start from now on are measured; default: as before. */
  coverage?: boolean;
}
type AgentRunStart =
  | { type: "agent_run.began"; connectionId: string }
  | {
    type: "agent_run.finished";
  } & AgentRunEnd;

const request = <Args, Result>(words: RequestWords): RequestDefinition<Args, Result> => words;

const cancelTask = (id: string): SessionCancellation => ({ type: "session.cancel_request", id });
const cancelLoad = (): SessionCancellation => ({ type: "session.cancel_load" });
const cancelMatrix = (): SessionCancellation => ({ type: "session.cancel_matrix" });

export const sessionRequests = {
  "session.provision": request<{ config: Partial<EnvironmentConfig> }, EnvironmentInfo>({
    action: "provision environment",
    cancel: () => ({ type: "session.cancel_provision" }),
  }),
  "session.destroy_environment": request<NoArgs, void>({ action: "destroy environment" }),
  "session.abandon_environment": request<NoArgs, void>({ action: "give the environment up" }),
  /** Answered with the result of its kind: see `EnvironmentOperations`. */
  "session.perform": request<OperationRequest, unknown>({
    action: "work in the environment",
    cancel: (operationId) => ({ type: "session.cancel_operation", operationId }),
  }),
  "session.snapshot": request<{ tag: string }, string>({ action: "take snapshot" }),
  "session.rollback": request<{ snapshot: string }, EnvironmentInfo>({ action: "roll back" }),
  /** Before the plugin under test is loaded, and again after a rollback. */
  "session.start_dependencies": request<NoArgs, void>({
    action: "start the dependency plugins",
    cancel: () => ({ type: "session.cancel_dependencies" }),
  }),
  "session.stop_dependencies": request<NoArgs, void>({ action: "stop the dependency plugins" }),
  "session.load": request<{ load: LoadRequest }, LoadedPlugin>({ action: "load plugin", cancel: cancelLoad }),
  "session.reload": request<NoArgs, LoadedPlugin>({
    action: "reload plugin",
    cancel: cancelLoad,
  }),
  "session.unload": request<NoArgs, CloseReport[]>({ action: "stop plugin" }),
  "session.call": request<{ tool: string; input: Record<string, unknown>; limitMs: number }, CallOutcome>({
    action: "call tool",
    cancel: (callId) => ({ type: "session.cancel_call", callId }),
  }),
  "session.run_suite": request<
    { tests: PlannedTest[]; workers: number; rules: RunRules; bail: number | undefined },
    { reason: string }
  >({ action: "run suite", cancel: () => ({ type: "session.cancel_suite" }) }),
  "session.measure_performance": request<
    { request: PerformanceRequest; known: Record<string, Record<string, unknown>> },
    PerformanceReport
  >({ action: "measure performance", cancel: () => ({ type: "session.cancel_performance" }) }),
  "session.begin_agent_run": request<{ runId: string; test: PlannedTest }, AgentRunStart>({
    action: "begin a prompt-driven test",
    cancel: () => ({ type: "session.abandon_agent_run", reason: "the request was cancelled" }),
  }),
  "session.agent_call": request<{ tool: string; input: Record<string, unknown> }, CallOutcome>({
    action: "call tool",
    cancel: () => ({ type: "session.cancel_agent_call" }),
  }),
  "session.close_agent_run": request<{ checklist: JudgedItem[] }, AgentRunEnd>({ action: "close the run" }),
  /** Answered with the result of its kind: see `BranchWork`. */
  "session.work": request<BranchWorkRequest, unknown>({
    action: "work on the session branch",
    cancel: (requestId) => ({ type: "session.cancel_work", requestId }),
  }),
  /** A task: loads the plugin with its dependencies, in place of what runs; without `load` as it was loaded the last time. */
  "session.load_plugin": request<{ load?: LoadRequest } & Measured & FromCaller, PluginInfo>({
    action: "load plugin",
    cancel: cancelTask,
  }),
  /** A task: reloads the plugin that runs; one that does not is loaded as it was the last time. */
  "session.reload_plugin": request<Measured & FromCaller, ReloadReport>({
    action: "reload plugin",
    cancel: cancelTask,
  }),
  /** A task: commits a fix, after a snapshot where that is asked for; `save` keeps the session's state on the branch. */
  "session.apply_fix": request<
    { request: FixRequest; reload: boolean; save: boolean } & FromCaller,
    FixResult
  >({
    action: "apply fix",
    cancel: cancelTask,
  }),
  /** A task: takes a fix back, and the environment with it where a snapshot was saved before it. */
  "session.revert_fix": request<{ commit: string; reload: boolean } & FromCaller, RevertResult>({
    action: "revert fix",
    cancel: cancelTask,
  }),
  /** A task: replaces the environment, if there is one, and brings the plugin up in the new one where it was loaded. */
  "session.replace_environment": request<
    { config: Partial<EnvironmentConfig> } & FromCaller,
    EnvironmentInfo
  >({
    action: "provision environment",
    cancel: cancelTask,
  }),
  /** A task: takes the environment back to a snapshot, and reloads the plugin there. */
  "session.restore_snapshot": request<{ snapshot: string; recover: boolean } & FromCaller, RestoreResult>({
    action: "roll back",
    cancel: cancelTask,
  }),
  /** A task: chooses tests, runs them as one suite, and collects their results. */
  "session.run_tests": request<{ suite: SuiteOptions } & FromCaller, TestRunResult>({
    action: "run suite",
    cancel: cancelTask,
  }),
  /** A task: runs the suite in a new environment, and tells the drift of the one before. */
  "session.run_clean": request<{ suite: SuiteOptions } & FromCaller, CleanRunResult>({
    action: "verify in a clean environment",
    cancel: cancelTask,
  }),
  /** A task: runs an agent on a playbook in the environment. */
  "session.run_agent": request<{ run: AgentSessionRequest } & FromCaller, AgentSessionResult>({
    action: "run the agent",
    cancel: cancelTask,
  }),
  /** A task: runs hooks for one event in the environment. */
  "session.run_hooks": request<{ run: HookRunRequest } & FromCaller, HookRunResult>({
    action: "run the hooks",
    cancel: cancelTask,
  }),
  /** A task: runs the plugin's evals as sessions of an agent, and has them graded. */
  "session.run_evals": request<{ evals: EvalRequest } & FromCaller, EvalReport>({
    action: "run evals",
    cancel: cancelTask,
  }),
  /** A task: runs the tests of a fixture, each in a session of an agent. */
  "session.run_fixture": request<{ run: FixtureRunRequest } & FromCaller, FixtureRunResult>({
    action: "run the fixture",
    cancel: cancelTask,
  }),
  /** A task: packs the plugin, installs it as its users do, and compares what was installed with its source. */
  "session.check_install": request<{ check: InstallCheckRequest } & FromCaller, InstallCheckResult>({
    action: "check the installation",
    cancel: cancelTask,
  }),
  /** A task: runs the plugin's own tests in the environment, as their framework runs them. */
  "session.run_project_tests": request<{ run: ProjectTestRun } & FromCaller, ProjectTestAnswer>({
    action: "run the plugin's own tests",
    cancel: cancelTask,
  }),
  /** Ends the loop, the matrix run and the runs of tests that are under way, and waits until they are over. */
  "session.stop_work": request<NoArgs, void>({ action: "stop what is under way", cancel: cancelTask }),
  /** A task before the session's end: stops what is under way, and exports what the session leaves. */
  "session.close": request<ExportOptions, ClosedWork>({ action: "close the session" }),
  /** A task: environment, plugin and generated tests of an interrupted session; `withheld`: without its plugin. */
  "session.resume": request<
    { config: Partial<EnvironmentConfig>; withheld: boolean } & FromCaller,
    ResumedWork
  >({ action: "resume the session", cancel: cancelTask }),
  /** `history` is what an interrupted session leaves to the loop; it counts with the first request only. */
  "session.iterate": request<
    & { run: IterationRun; standing: TestStatusSummary; statuses: TestStatuses; history: IterationInput }
    & FromCaller,
    IterationOutcome
  >({ action: "iterate", cancel: () => ({ type: "session.cancel_iteration" }) }),
  "session.run_matrix": request<{ run: MatrixRun } & FromCaller, MatrixEnd>({
    action: "verify distributions",
    cancel: cancelMatrix,
  }),
  /** For the one that awaits fixes. */
  "session.answer_matrix": request<{ answer: MatrixAnswer } & FromCaller, MatrixEnd>({
    action: "go on with the verification",
    cancel: cancelMatrix,
  }),
};

/** Arguments and result of each request. */
export type SessionRequests = {
  [Type in keyof typeof sessionRequests]: NonNullable<(typeof sessionRequests)[Type]["types"]>;
};

/** A request by its type, without its id. */
export type UnsentRequests = {
  [Type in keyof SessionRequests]: { type: Type } & SessionRequests[Type]["args"];
};

/** Requests of several steps: each is a machine of its own. */
export type TaskType =
  | "session.load_plugin"
  | "session.reload_plugin"
  | "session.apply_fix"
  | "session.close"
  | "session.resume"
  | "session.revert_fix"
  | "session.replace_environment"
  | "session.run_clean"
  | "session.restore_snapshot"
  | "session.run_agent"
  | "session.run_hooks"
  | "session.run_evals"
  | "session.run_fixture"
  | "session.check_install"
  | "session.run_project_tests"
  | "session.run_tests";

/** Requests whose caller can be asked for configuration. */
export type CallerType = TaskType | "session.iterate" | "session.run_matrix" | "session.answer_matrix";

/** Origin of a request: the outside, or a child of the session. */
export interface RequestOrigin {
  /** The child that asks, and is answered; absent: the outside, which hears what the session emits. */
  replyTo?: AnyActorRef;
}

export interface Requested extends RequestOrigin {
  requestId: string;
}

/** Requests that are answered with their id. */
export type AnsweredRequest = UnsentRequests[keyof UnsentRequests] & Requested;

type TaskRequest = UnsentRequests[TaskType];

/** Requests that are steps of tasks, of the loop and of the matrix. */
export type StepRequest = UnsentRequests[
  | TaskType
  | "session.iterate"
  | "session.abandon_environment"
  | "session.destroy_environment"
  | "session.load"
  | "session.perform"
  | "session.provision"
  | "session.reload"
  | "session.rollback"
  | "session.run_suite"
  | "session.snapshot"
  | "session.start_dependencies"
  | "session.stop_dependencies"
  | "session.stop_work"
  | "session.unload"
  | "session.work"
];

export type SessionRequest =
  | AnsweredRequest
  | SessionCancellation
  /** A child has asked: it is told where nothing takes the request. */
  | ({ type: "session.expect_answer"; request: keyof UnsentRequests } & Requested)
  | { type: "session.end"; keep: boolean };
