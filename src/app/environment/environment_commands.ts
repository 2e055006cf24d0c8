/** Requests about the environment. */
import type { EnvironmentConfig } from "../../../machines/model/environment.ts";
import type { EnvironmentCommands, RequestOptions } from "../../api/harness.ts";
import { isSecretName } from "../../plugin/declared_variables.ts";
import { retryBudget } from "../../platform/retry.ts";
import { runTask } from "../run_task.ts";
import { sendOperation, sendRequest } from "../send_request.ts";
import { checkDependencies, stopDependencies } from "./dependencies.ts";
import { loadedPlugin, type SessionParts, withProgress } from "../session/session_parts.ts";
import type { EnvironmentOperations } from "../../../machines/model/environment_operations.ts";
import { asPthError, PthError } from "../../core/errors.ts";
import { definedOnly } from "../../core/values.ts";

/** Limit of a command where none is given: somebody waits for its answer. */
const defaultExecSeconds = 600;

export function environmentCommands(context: SessionParts): EnvironmentCommands {
  const { actor, live } = context;
  const perform = <Kind extends keyof EnvironmentOperations>(
    kind: Kind,
    args: EnvironmentOperations[Kind]["args"],
    { signal }: RequestOptions = {},
  ) => sendOperation(actor, kind, args, { signal });
  const provision = async (asked: Partial<EnvironmentConfig>, options: RequestOptions = {}) => {
    live.limits.retries = retryBudget(options.retries);
    const config = await prepareConfig(context, asked);
    const info = await withProgress(
      context,
      options,
      () => sendRequest(actor, { type: "session.provision", config }, { signal: options.signal }),
    );
    return live.secrets.redact.value(info);
  };
  const emptyEnvironment = async () => {
    if (loadedPlugin(context)) await sendRequest(actor, { type: "session.unload" });
    await stopDependencies(context);
  };
  const askToDestroy = async () => {
    try {
      await sendRequest(actor, { type: "session.destroy_environment" });
    } catch (error) {
      throw asNotDestroyed(error);
    }
  };
  const destroyEnvironment = async (options: RequestOptions = {}) => {
    await withProgress(context, options, async () => {
      await emptyEnvironment();
      await askToDestroy();
    });
  };
  return {
    provision,
    destroy: destroyEnvironment,
    reprovision: (config, options = {}) =>
      withProgress(context, options, async () => {
        live.limits.retries = retryBudget(options.retries);
        // Its secrets are hidden before anybody hears of the request.
        const request = {
          type: "session.replace_environment",
          config: await prepareConfig(context, config),
        } as const;
        return live.secrets.redact.value(await runTask(context, request, options));
      }),
    inspect: (options) => perform("inspect", {}, options),
    exec: (command, execOptions, options) =>
      perform("exec", { command, timeoutSeconds: defaultExecSeconds, ...execOptions }, options),
    copyIn: (hostPath, envPath, options) => perform("copy_in", { hostPath, envPath }, options),
    copyOut: (envPath, hostPath, { limits = {}, ...options } = {}) =>
      perform("copy_out", { envPath, hostPath, limits }, options),
    logs: (tail, { service, ...options } = {}) => perform("logs", definedOnly({ tail, service }), options),
    health: (options) => perform("health", {}, options),
    drift: (options) => perform("drift", {}, options),
  };
}

/** Completes a configuration; its secrets are hidden before anybody tells of the request. */
export async function prepareConfig(
  context: SessionParts,
  asked: Partial<EnvironmentConfig>,
): Promise<Partial<EnvironmentConfig>> {
  const config = await checkDependencies(context, asked);
  for (const [name, value] of Object.entries(config.targetPlugin?.configValues ?? {})) {
    if (isSecretName(name)) context.live.secrets.add(name, value);
  }
  return config;
}

/** An adapter that does not come back leaves the environment as it is, and may still remove it. */
export function asNotDestroyed(thrown: unknown): PthError {
  const error = asPthError(thrown);
  const { cause } = error;
  if (!(cause instanceof Error) || cause.name !== "TimeoutError") return error;
  return new PthError("RUNTIME_UNAVAILABLE", cause.message, {
    next: [
      { mcp: "Go on in another one: pth_reprovision_environment({})" },
      { mcp: "End the session, which tells what is left: pth_end_session({}); pth clean removes it later" },
    ],
  }, { cause });
}
