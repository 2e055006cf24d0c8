/** Turns a request to the session actor into a promise of its answer. */
import type { ActorRefFrom } from "xstate";
import { RequestRefused } from "../../machines/session/session_model.ts";
import type { AnsweredRequest } from "../../machines/session/session_request.ts";
import type { sessionMachine } from "../../machines/session_machine.ts";
import { asPthError, PthError } from "../core/errors.ts";
import type { NextStep } from "../core/next_step.ts";

export type SessionActor = ActorRefFrom<typeof sessionMachine>;
type WithoutId<T> = T extends unknown ? Omit<T, "requestId" | "replyTo"> : never;
export type UnsentRequest = WithoutId<AnsweredRequest>;

/**
 * Sends the request and waits for `request.completed` or `request.failed` with its id.
 * @throws {PthError} `NOT_NOW` when the session's state does not take the request; what the request failed with
 */
export function sendRequest<Result>(
  session: SessionActor,
  request: UnsentRequest,
  options: {
    signal?: AbortSignal | undefined;
    /** Given where the caller has to know it; default: a new one. */
    requestId?: string;
    onAbort?: (requestId: string) => void;
  } = {},
): Promise<Result> {
  const { requestId = crypto.randomUUID() } = options;
  const event = { ...request, requestId } as AnsweredRequest;
  try {
    requireState(session, request);
  } catch (error) {
    return Promise.reject(error);
  }
  return new Promise<Result>((resolve, reject) => {
    const abort = () => options.onAbort?.(requestId);
    const over = () => {
      subscription.unsubscribe();
      death.unsubscribe();
      options.signal?.removeEventListener("abort", abort);
    };
    const subscription = session.on("*", (fact) => {
      const ended = fact.type === "session.ended";
      if (!ended && fact.type !== "request.completed" && fact.type !== "request.failed") return;
      if (!ended && fact.requestId !== requestId) return;
      over();
      if (ended) reject(new PthError("INTERRUPTED", `Cannot ${actions[request.type]}: the session ended`));
      else if (fact.type === "request.completed") resolve(fact.result as Result);
      else reject(publicError(fact.error, `Cannot ${actions[request.type]}`));
    });
    // A machine that died of an error of its own tells nobody anything any more.
    const death = session.subscribe({
      error: (error) => {
        over();
        reject(asPthError(error, `Cannot ${actions[request.type]}`));
      },
    });
    options.signal?.addEventListener("abort", abort, { once: true });
    session.send(event);
    if (options.signal?.aborted) abort();
  });
}

/**
 * For requests before which something is set aside that a refusal must not cost.
 * @throws {PthError} `NOT_NOW` when the session's state does not take the request
 */
export function requireState(session: SessionActor, request: UnsentRequest): void {
  const snapshot = session.getSnapshot();
  const event = { ...request, requestId: "" } as AnsweredRequest;
  if (!snapshot.can(event)) throw notNow(request.type, snapshot.value);
}

/** A step's refusal is told as it would be to whoever asked for the step itself. */
export const publicError = (error: unknown, context?: string): PthError =>
  error instanceof RequestRefused ? notNow(error.request, error.state) : asPthError(error, context);

const actions: Record<string, string> = {
  "session.provision": "provision environment",
  "session.destroy_environment": "destroy environment",
  "session.abandon_environment": "give the environment up",
  "session.perform": "work in the environment",
  "session.snapshot": "take snapshot",
  "session.rollback": "roll back",
  "session.start_dependencies": "start the dependency plugins",
  "session.stop_dependencies": "stop the dependency plugins",
  "session.load": "load plugin",
  "session.load_plugin": "load plugin",
  "session.reload_plugin": "reload plugin",
  "session.apply_fix": "apply fix",
  "session.revert_fix": "revert fix",
  "session.replace_environment": "provision environment",
  "session.restore_snapshot": "roll back",
  "session.reload": "reload plugin",
  "session.unload": "stop plugin",
  "session.call": "call tool",
  "session.run_suite": "run suite",
  "session.measure_performance": "measure performance",
  "session.begin_agent_run": "begin a prompt-driven test",
  "session.agent_call": "call tool",
  "session.close_agent_run": "close the run",
  "session.work": "work on the session branch",
  "session.iterate": "iterate",
  "session.verify_distros": "verify distributions",
  "session.answer_verification": "go on with the verification",
};

function notNow(request: string, value: unknown): PthError {
  const action = actions[request] ?? request;
  if (typeof value !== "object" || value === null || !("open" in value)) {
    return new PthError("NOT_NOW", `Cannot ${action}: the session is ${describe(value)}`);
  }
  const open = value.open as Record<string, string>;
  return new PthError(
    "NOT_NOW",
    `Cannot ${action}: environment ${open.environment}, plugin ${open.plugin}, suite ${open.suite}`,
    { next: nextSteps(request, open) },
  );
}

const describe = (value: unknown) => typeof value === "string" ? value : Object.keys(value ?? {}).join(", ");

function nextSteps(
  request: string,
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
