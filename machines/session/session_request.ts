/** Requests to the session, from outside and from its own children. */
import type { AnyActorRef } from "xstate";
import type { Operation } from "../environment_machine.ts";
import type { EnvironmentConfig } from "../model/environment.ts";
import type { FixRequest } from "../model/fix.ts";
import type { IterationRecord, IterationRun, TestStatuses, TestStatusSummary } from "../model/iteration.ts";
import type { MatrixAnswer, MatrixRun } from "../model/matrix.ts";
import type { PlannedTest, RunRules } from "../model/observation.ts";
import type { PerformanceRequest } from "../model/performance.ts";
import type { JudgedItem } from "../model/verdict.ts";
import type { LoadRequest } from "../plugin_machine.ts";

/** Data of an interrupted session for the loop. */
export interface IterationInput {
  /** Records of the session before its interruption, oldest first. */
  records: IterationRecord[];
  /** Number of the latest iteration, which may have no record. */
  last: number;
}

export interface Requested {
  requestId: string;
  /** The child that asks, and is answered; absent: the outside, which hears what the session emits. */
  replyTo?: AnyActorRef;
}

/** Work on the session branch; `kind` and `args` are known to the slot. */
export interface WorkOnBranch {
  kind: string;
  args: Record<string, unknown>;
}

/** Id of the outside's request at whose root a task is: whoever made it can be asked for configuration. */
export interface FromCaller {
  caller?: string;
}

/** Requests that are answered with their id. */
export type AnsweredRequest =
  & Requested
  & (
    | { type: "session.provision"; config: Partial<EnvironmentConfig> }
    | { type: "session.destroy_environment" }
    | { type: "session.abandon_environment" }
    | ({ type: "session.perform" } & Operation)
    | { type: "session.snapshot"; tag: string }
    | { type: "session.rollback"; snapshot: string }
    /** Before the plugin under test is loaded, and again after a rollback. */
    | { type: "session.start_dependencies" }
    | { type: "session.stop_dependencies" }
    | { type: "session.load"; load: LoadRequest }
    | { type: "session.reload" }
    | { type: "session.unload" }
    | { type: "session.call"; tool: string; input: Record<string, unknown>; limitMs: number }
    | {
      type: "session.run_suite";
      tests: PlannedTest[];
      workers: number;
      rules: RunRules;
      bail: number | undefined;
    }
    | { type: "session.begin_agent_run"; runId: string; test: PlannedTest }
    | { type: "session.agent_call"; tool: string; input: Record<string, unknown> }
    | { type: "session.close_agent_run"; checklist: JudgedItem[] }
    | ({ type: "session.work" } & WorkOnBranch)
    /** `history` counts with the first request only. */
    | {
      type: "session.iterate";
      run: IterationRun;
      standing: TestStatusSummary;
      statuses: TestStatuses;
      history: IterationInput;
    }
    | { type: "session.verify_distros"; run: MatrixRun }
    /** For the one that awaits fixes. */
    | { type: "session.answer_verification"; answer: MatrixAnswer }
    | {
      type: "session.measure_performance";
      request: PerformanceRequest;
      known: Record<string, Record<string, unknown>>;
    }
    | TaskRequest
  );

/** Requests of several steps: each is a machine of its own. */
export type TaskRequest =
  /** Loads the plugin with its dependencies, in place of what runs; without `load` as it was loaded the last time. */
  | ({ type: "session.load_plugin"; load?: LoadRequest } & FromCaller)
  /** Reloads the plugin that runs; one that does not is loaded as it was the last time. */
  | ({ type: "session.reload_plugin" } & FromCaller)
  /** Commits a fix, after a snapshot where the request asks for one; `save` keeps the session's state on the branch. */
  | ({ type: "session.apply_fix"; request: FixRequest; reload: boolean; save: boolean } & FromCaller)
  /** Takes a fix back, and the environment with it where a snapshot was saved before it. */
  | ({ type: "session.revert_fix"; commit: string; reload: boolean } & FromCaller)
  /** Replaces the environment, if there is one, and brings the plugin up in the new one where it was loaded. */
  | ({ type: "session.replace_environment"; config: Partial<EnvironmentConfig> } & FromCaller)
  /** Takes the environment back to a snapshot, and reloads the plugin there. */
  | ({ type: "session.restore_snapshot"; snapshot: string; recover: boolean } & FromCaller);

type WithoutId<T> = T extends unknown ? Omit<T, "requestId" | "replyTo"> : never;

/** Requests that are steps of tasks. */
export type StepRequest = WithoutId<
  Extract<
    AnsweredRequest,
    {
      type:
        | TaskRequest["type"]
        | "session.abandon_environment"
        | "session.destroy_environment"
        | "session.load"
        | "session.provision"
        | "session.reload"
        | "session.rollback"
        | "session.snapshot"
        | "session.start_dependencies"
        | "session.stop_dependencies"
        | "session.unload"
        | "session.work";
    }
  >
>;

export type SessionRequest =
  | AnsweredRequest
  | { type: "session.cancel_iteration" }
  | { type: "session.cancel_verification" }
  | { type: "session.cancel_performance" }
  | { type: "session.cancel_suite" }
  | { type: "session.cancel_agent_call" }
  | { type: "session.abandon_agent_run"; reason: string }
  | { type: "session.cancel_provision" }
  | { type: "session.cancel_dependencies" }
  | { type: "session.cancel_load" }
  | { type: "session.cancel_work"; requestId: string }
  | { type: "session.cancel_operation"; operationId: string }
  | { type: "session.cancel_call"; callId: string }
  /** A child has asked: it is told where nothing takes the request. */
  | ({ type: "session.expect_answer"; request: string } & Requested)
  /** Cancels any request by its id, where it can be cancelled. */
  | { type: "session.cancel_request"; id: string }
  | { type: "session.end"; keep: boolean };
