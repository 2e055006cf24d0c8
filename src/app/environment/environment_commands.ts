/** Requests about the environment. */
import type { EnvironmentConfig } from "../../../machines/model/environment.ts";
import type { EnvironmentInfo } from "../../../machines/model/session.ts";
import type { EnvironmentCommands, PluginCommands, RequestOptions } from "../../api/harness.ts";
import { isSecretName } from "../../plugin/declared_variables.ts";
import { retryBudget, withRetries } from "../../platform/retry.ts";
import { recommendation } from "../../actors/session/recommendation.ts";
import { registry } from "../../runtimes/_registry.ts";
import { chooseRuntime } from "../../runtimes/choose_runtime.ts";
import { sendRequest } from "../send_request.ts";
import { inheritConfig } from "./inherit_config.ts";
import { checkDependencies, stopDependencies } from "./dependencies.ts";
import { lastLoad, type SessionContext, withProgress } from "../session/session_context.ts";
import type { EnvironmentOperations } from "../../actors/environment/perform_operation.ts";
import { asPthError, PthError } from "../../core/errors.ts";
import { definedOnly } from "../../core/values.ts";
import { isTransient } from "../../diagnosis/table.ts";

/** Limit of a command where none is given: somebody waits for its answer. */
const defaultExecSeconds = 600;

export function environmentCommands(
  context: SessionContext,
  plugin: Pick<PluginCommands, "load">,
): EnvironmentCommands {
  const { actor, live } = context;
  const perform = <Kind extends keyof EnvironmentOperations, Result>(
    kind: Kind,
    args: EnvironmentOperations[Kind][0],
    { signal }: RequestOptions = {},
  ) =>
    sendRequest<Result>(actor, { type: "session.perform", kind, args: { ...args } }, {
      signal,
      onAbort: (operationId) => actor.send({ type: "session.cancel_operation", operationId }),
    });
  const provision = async (asked: Partial<EnvironmentConfig>, options: RequestOptions = {}) => {
    const config = await checkDependencies(context, asked);
    live.limits.retries = retryBudget(options.retries);
    // Before anybody tells of the request: the answer and the recording hold the configuration.
    for (const [name, value] of Object.entries(config.targetPlugin?.configValues ?? {})) {
      if (isSecretName(name)) live.secrets.add(name, value);
    }
    const info = await withProgress(
      context,
      options,
      () =>
        sendRequest<EnvironmentInfo>(actor, { type: "session.provision", config }, {
          signal: options.signal,
          onAbort: () => actor.send({ type: "session.cancel_provision" }),
        }),
    );
    return live.secrets.redact.value(info);
  };
  const emptyEnvironment = async () => {
    if (context.plugin) {
      await sendRequest(actor, { type: "session.unload" });
      context.plugin = undefined;
    }
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
  /** One that cannot be destroyed now must not keep the session from going on in another. */
  const replaceEnvironment = async (options: RequestOptions) => {
    await withProgress(context, options, async () => {
      await emptyEnvironment();
      try {
        await askToDestroy();
      } catch (error) {
        await sendRequest(actor, { type: "session.abandon_environment" });
        live.environment.abandon(error);
      }
    });
  };
  return {
    provision,
    destroy: destroyEnvironment,
    async reprovision(config, options = {}) {
      const loaded = (context.plugin ?? context.lostPlugin) !== undefined;
      const previous = inheritConfig(live.environment.config, live.environment.tierAsked, config);
      const asked = { ...previous, ...config };
      if (live.environment.current) {
        // What cannot be had must not cost the environment that is there.
        await withRetries(() => chooseRuntime(registry, asked, () => recommendation(live)), {
          retries: retryBudget(options.retries),
          isTransient,
          onRetry: live.progress.messages("provision"),
          ...(options.signal ? { signal: options.signal } : {}),
        });
        await replaceEnvironment(options);
      }
      const environment = await provision(asked, options);
      if (loaded) await plugin.load(lastLoad(context) ?? {}, options);
      return environment;
    },
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

/** An adapter that does not come back leaves the environment as it is, and may still remove it. */
function asNotDestroyed(thrown: unknown): PthError {
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
