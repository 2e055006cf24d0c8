/** Slot `environment.perform`: ordinary work inside the environment, many pieces side by side. */
import { type EventObject, fromCallback } from "xstate";
import type { Operation } from "../../../machines/environment_machine.ts";
import type { EnvironmentInfo } from "../../../machines/model/session.ts";
import { PthError } from "../../core/errors.ts";
import { parseUsage, usageScript } from "../../runtimes/shared/usage_script.ts";
import { driftSinceProvisioning } from "./load_drift.ts";
import type { SessionResources } from "../session_resources.ts";
import type { LiveEnvironment } from "../stores/environment_holder.ts";
import { type GetSession, toPublicError, withRetriedSource } from "../promise_actor.ts";
import type {
  EnvironmentOperations,
  OperationRequests,
} from "../../../machines/model/environment_operations.ts";

/** Does one kind of operation. */
export type OperationActor<Kind extends keyof EnvironmentOperations> = (
  live: LiveEnvironment,
  args: EnvironmentOperations[Kind]["args"],
  signal: AbortSignal,
  session: SessionResources,
) => Promise<EnvironmentOperations[Kind]["result"]>;
type OperationActors = { [Kind in keyof EnvironmentOperations]: OperationActor<Kind> };

/** Kinds that study the plugin's server in addition to its tests. */
export type AnalysisKind = "relay" | "surface" | "fuzz" | "learn";

const ordinary: Omit<OperationActors, AnalysisKind> = {
  async exec(environment, { command, timeoutSeconds, ...options }, signal, session) {
    const { runtime, info } = environment;
    environment.touched = true;
    const limit = timeoutSeconds === undefined ? [] : [AbortSignal.timeout(timeoutSeconds * 1000)];
    return await runtime.exec(info.handle, command, {
      ...options,
      signal: AbortSignal.any([signal, ...limit]),
      onOutput: session.progress.output("exec"),
    });
  },
  copy_in(environment, { hostPath, envPath }, signal) {
    environment.touched = true;
    return environment.runtime.copyIn(environment.info.handle, hostPath, envPath, signal);
  },
  copy_out: ({ runtime, info }, { envPath, hostPath, limits }, signal) =>
    runtime.copyOut(info.handle, envPath, hostPath, { ...limits, signal }),
  inspect: async ({ runtime, info }) => ({ ...info, state: await runtime.inspect(info.handle) }),
  logs: ({ runtime, info, services }, { tail, service }) =>
    service === undefined ? runtime.logs(info.handle, { tail }) : services!.logs(service, tail),
  health: (_environment, _args, _signal, session) => session.environment.checkHealth(),
  async usage({ runtime, info }, _args, signal, { sessionId }) {
    // Where nothing is isolated, the machine's other processes are none of the session's.
    const own = runtime.abilities.isolated ? "" : `PTH_SESSION=${sessionId}`;
    const words = ["sh", "-c", usageScript(), "sh", info.handle.sourcePath, own];
    return parseUsage((await runtime.exec(info.handle, words, { signal })).stdout);
  },
  drift: (_environment, _args, _signal, session) => driftSinceProvisioning(session),
  async drop_snapshot({ runtime, info }, { snapshot }, _signal, session) {
    await runtime.dropSnapshot(info.handle, snapshot);
    session.snapshots.taken.delete(snapshot);
  },
};

/** @param more Kinds in addition to the ordinary ones; the exported runner has none. */
export const performOperation = (
  stage: GetSession,
  more: Partial<Pick<OperationActors, AnalysisKind>> = {},
) => {
  const actors: Partial<OperationActors> = { ...ordinary, ...more };
  return fromCallback<EventObject, { environment: EnvironmentInfo; operation: Operation }>(
    ({ input: { operation }, sendBack }) => {
      const { requestId, kind } = operation;
      const live = stage();
      const stop = new AbortController();
      const once = async () => await perform(actors, live, operation, stop.signal);
      const done = live.tasks.track(
        withRetriedSource(live, kind, once, stop.signal).catch((error) =>
          toPublicError(live, explain(error, kind))
        ),
      );
      done.then(
        (output) =>
          sendBack({ type: "operation.completed", requestId, output: live.secrets.redact.value(output) }),
        (error) => sendBack({ type: "operation.failed", requestId, error }),
      );
      return () => stop.abort(new PthError("INTERRUPTED", `Cannot finish ${kind}: it was stopped`));
    },
  );
};

async function perform<Kind extends keyof EnvironmentOperations>(
  actors: Partial<OperationActors>,
  live: SessionResources,
  { kind, args }: OperationRequests[Kind],
  signal: AbortSignal,
): Promise<EnvironmentOperations[Kind]["result"]> {
  const actor: OperationActor<Kind> | undefined = actors[kind];
  if (actor === undefined) throw new Error(`Cannot do ${kind}: nothing here does it`);
  return await actor(live.environment.require(), args, signal, live);
}

function explain(error: unknown, kind: string): unknown {
  if (error instanceof DOMException && error.name === "TimeoutError") {
    const work = kind === "exec" ? "run command" : `finish ${kind}`;
    return new PthError("EXEC_FAILED", `Cannot ${work}: timed out`, {
      next: ["Give it more time (timeoutSeconds), or run it in the background"],
    });
  }
  return error;
}
