/** Turns a request to the session actor into a promise of its answer. */
import type { ActorRefFrom } from "xstate";
import type { BranchWork } from "../../machines/model/branch_work.ts";
import type { EnvironmentOperations } from "../../machines/model/environment_operations.ts";
import { isLoopUnderWay } from "../../machines/session/is_permitted.ts";
import { isEvaluating } from "../../machines/session/reply.ts";
import { RequestRefused } from "../../machines/session/session_model.ts";
import {
  type RequestWords,
  type SessionRequests,
  sessionRequests,
  type UnsentRequests,
} from "../../machines/session/session_requests.ts";
import type { sessionMachine } from "../../machines/session_machine.ts";
import { asPthError, PthError } from "../core/errors.ts";
import type { NextStep } from "../core/next_step.ts";
import { loopRefusal } from "./loop/loop_refusal.ts";

export type SessionActor = ActorRefFrom<typeof sessionMachine>;
type RequestType = keyof SessionRequests;
type RequestEvent = UnsentRequests[RequestType] & { requestId: string };
/** A request of one type, without its id. */
export type RequestOf<Type extends RequestType> = { type: Type } & SessionRequests[Type]["args"];

export interface SendOptions {
  /** Gives the request up, where it can be given up. */
  signal?: AbortSignal | undefined;
  /** Given where the caller has to know it; default: a new one. */
  requestId?: string;
}

/**
 * Sends the request and waits for its answer.
 * @throws {PthError} `NOT_NOW` when the session's state does not take the request; what the request failed with
 */
export function sendRequest<Type extends RequestType>(
  session: SessionActor,
  request: RequestOf<Type>,
  options?: SendOptions,
): Promise<SessionRequests[Type]["result"]> {
  return answered(session, request, options);
}

/** Sends a request for one kind of ordinary work in the environment, as `sendRequest`. */
export function sendOperation<Kind extends keyof EnvironmentOperations>(
  session: SessionActor,
  kind: Kind,
  args: EnvironmentOperations[Kind]["args"],
  options?: SendOptions,
): Promise<EnvironmentOperations[Kind]["result"]> {
  return answered(session, { type: "session.perform", kind, args }, options);
}

/** Sends a request for one kind of work on the branch, as `sendRequest`. */
export function sendBranchWork<Kind extends keyof BranchWork>(
  session: SessionActor,
  kind: Kind,
  args: BranchWork[Kind]["args"],
  options?: SendOptions,
): Promise<BranchWork[Kind]["result"]> {
  return answered(session, { type: "session.work", kind, args }, options);
}

/**
 * Waits for `request.completed` or `request.failed` with the request's id. The one place where an answer gets its type:
 * the id pairs it with the request, and the functions above take the type from the request's definition.
 */
function answered<Result>(
  session: SessionActor,
  request: { type: RequestType; kind?: string; args?: object },
  { requestId = crypto.randomUUID(), signal }: SendOptions = {},
): Promise<Result> {
  const { action, cancel }: RequestWords = sessionRequests[request.type];
  const event = { ...request, requestId } as RequestEvent;
  const refusal = refusalOf(session, event);
  if (refusal) return Promise.reject(refusal);
  return new Promise<Result>((resolve, reject) => {
    const abort = () => {
      if (cancel !== undefined) session.send(cancel(requestId));
    };
    const over = () => {
      subscription.unsubscribe();
      death.unsubscribe();
      signal?.removeEventListener("abort", abort);
    };
    const subscription = session.on("*", (fact) => {
      const ended = fact.type === "session.ended";
      if (!ended && fact.type !== "request.completed" && fact.type !== "request.failed") return;
      if (!ended && fact.requestId !== requestId) return;
      over();
      if (ended) reject(new PthError("INTERRUPTED", `Cannot ${action}: the session ended`));
      else if (fact.type === "request.completed") resolve(fact.result as Result);
      else reject(publicError(fact.error, `Cannot ${action}`));
    });
    // A machine that died of an error of its own tells nobody anything any more.
    const death = session.subscribe({
      error: (error) => {
        over();
        reject(asPthError(error, `Cannot ${action}`));
      },
    });
    signal?.addEventListener("abort", abort, { once: true });
    session.send(event);
    if (signal?.aborted) abort();
  });
}

/**
 * For requests before which something is set aside that a refusal must not cost.
 * @throws {PthError} `NOT_NOW` when the session's state does not take the request
 */
export function requireState<Type extends RequestType>(
  session: SessionActor,
  request: RequestOf<Type>,
): void {
  const refusal = refusalOf(
    session,
    { ...request, requestId: "" } as RequestEvent,
  );
  if (refusal) throw refusal;
}

/** Error of a request that the session's state does not take; undefined where it does. */
function refusalOf(session: SessionActor, event: RequestEvent): PthError | undefined {
  const snapshot = session.getSnapshot();
  if (snapshot.can(event)) return undefined;
  // Only that it is not the loop's stands against it.
  return isLoopUnderWay(snapshot.context) && snapshot.can({ ...event, replyTo: session })
    ? loopRefusal(snapshot, sessionRequests[event.type].action)
    : notNow(event.type, snapshot.value, isEvaluating(snapshot.context));
}

/** Converts an error for the client: the refusal of a step reads as if the client had asked for the step itself. */
export const publicError = (error: unknown, context?: string): PthError =>
  error instanceof RequestRefused
    ? notNow(error.request, error.state, error.evaluating)
    : asPthError(error, context);

/** Requests that evals and own tests keep from being taken: those that change what they are about, and those that test. */
const waitsForEvals: readonly RequestType[] = [
  "session.iterate",
  "session.load_plugin",
  "session.reload_plugin",
  "session.replace_environment",
  "session.restore_snapshot",
  "session.rollback",
  "session.run_clean",
  "session.run_evals",
  "session.run_project_tests",
  "session.run_tests",
];

function notNow(request: RequestType, value: unknown, evaluating: boolean): PthError {
  const { action } = sessionRequests[request];
  if (typeof value !== "object" || value === null || !("open" in value)) {
    return new PthError("NOT_NOW", `Cannot ${action}: the session is ${describe(value)}`);
  }
  const open = value.open as Record<string, string>;
  if (evaluating && waitsForEvals.includes(request)) {
    const next = ["Wait for what is under way"];
    const state = "evals or the plugin's own tests are under way";
    return new PthError("NOT_NOW", `Cannot ${action}: ${state}`, { next });
  }
  return new PthError(
    "NOT_NOW",
    `Cannot ${action}: environment ${open.environment}, plugin ${open.plugin}, suite ${open.suite}`,
    { next: nextSteps(request, open) },
  );
}

const describe = (value: unknown) => typeof value === "string" ? value : Object.keys(value ?? {}).join(", ");

function nextSteps(
  request: RequestType,
  { environment, dependencies, plugin, suite, agentRun }: Record<string, string>,
): NextStep[] {
  if (suite === "running") return ["Wait for the suite that is running"];
  if (suite === "measuring") return ["Wait for the measuring of performance that is under way"];
  if (agentRun === "busy" || agentRun === "waiting") {
    return [
      ...(request === "session.call"
        ? [{ mcp: "Make the call part of the run: pth_call_plugin_tool({ runId, … })" }]
        : []),
      { mcp: "Close the prompt-driven test that is under way: pth_complete_test_run" },
    ];
  }
  if (dependencies === "starting" || dependencies === "stopping") {
    return ["Wait for the dependency plugins, which are " + dependencies];
  }
  if (environment === "rollingBack" || environment === "destroying") {
    return ["Wait for the request that is under way"];
  }
  if (environment === "absent") return [{ mcp: "Provision an environment first: pth_provision_environment" }];
  if (request === "session.provision" && environment === "ready") {
    return [{ mcp: "Use the environment that is there, or replace it: pth_reprovision_environment" }];
  }
  if (plugin === "absent") return [{ mcp: "Load the plugin first: pth_load_plugin" }];
  if (plugin === "ready") return [{ mcp: "Stop the plugin first, or use pth_reprovision_environment" }];
  return ["Wait for the request that is under way"];
}
