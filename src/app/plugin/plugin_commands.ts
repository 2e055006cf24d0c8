/** Requests about the plugin. */
import type { PluginInfo } from "../../../machines/model/session.ts";
import { PthError } from "../../core/errors.ts";
import type { PluginCommands, ReloadReport, RequestOptions } from "../../api/harness.ts";
import { retryBudget } from "../../platform/retry.ts";
import { definedOnly } from "../../core/values.ts";
import { givenSecrets } from "../environment/given_secrets.ts";
import { runTask } from "../run_task.ts";
import { requireState, sendRequest } from "../send_request.ts";
import { lastLoad, loadedPlugin, type SessionParts, withProgress } from "../session/session_parts.ts";
import { pluginStatus } from "./plugin_status.ts";
import { withFreeServer } from "./with_free_server.ts";

type OwnCommands = Pick<PluginCommands, "load" | "reload" | "status" | "tools" | "call" | "config">;

/** Limit of a call where none is given. */
const defaultCallSeconds = 120;

export function pluginCommands(context: SessionParts): OwnCommands {
  const { actor, live } = context;
  const loaded = (): PluginInfo => {
    const plugin = loadedPlugin(context);
    if (plugin) return plugin;
    throw new PthError("NOT_NOW", "Cannot use plugin: it is not loaded", {
      next: [{ mcp: "Load it first: pth_load_plugin" }],
    });
  };
  const load: PluginCommands["load"] = (load, options = {}) =>
    withProgress(context, options, async () => {
      // Before anything of the request is taken over.
      requireState(actor, { type: "session.load_plugin" });
      const { configValues, secrets, secretsFile, coverage, ...request } = load;
      const given = { ...configValues, ...await givenSecrets(definedOnly({ secrets, secretsFile })) };
      for (const [name, value] of Object.entries(given)) {
        live.secrets.add(name, value);
        live.questions.answered.delete(name);
      }
      live.limits.retries = retryBudget(options.retries);
      return await runTask(
        context,
        definedOnly({ type: "session.load_plugin" as const, load: request, coverage }),
        options,
      );
    });
  return {
    load,
    async reload(options = {}) {
      if (lastLoad(context) === undefined) loaded();
      return await reloadPlugin(context, options);
    },
    status: () => pluginStatus(context),
    tools: () => loaded().tools,
    async call(tool, input, { timeoutSeconds = defaultCallSeconds, ...options } = {}) {
      if (!loaded().tools.some(({ name }) => name === tool)) {
        throw new PthError("NO_SUCH_TOOL", `Cannot call ${tool}: the plugin lists no such tool`, {
          next: [`Choose one of: ${loaded().tools.map(({ name }) => name).join(", ")}`],
        });
      }
      const requestId = crypto.randomUUID();
      const call = () =>
        sendRequest(actor, { type: "session.call", tool, input, limitMs: timeoutSeconds * 1000 }, {
          signal: options.signal,
          requestId,
        });
      return await withProgress(
        context,
        options,
        () => withFreeServer(actor, requestId, tool, call),
      );
    },
    config: () => live.plugin.config,
  };
}

/**
 * Loads again what does not run any more, as it was asked for the last time; else reloads what runs.
 * @param coverage whether servers are measured from now on; default: as before
 */
export const reloadPlugin = (
  context: SessionParts,
  options: RequestOptions,
  coverage?: boolean,
): Promise<ReloadReport> =>
  withProgress(
    context,
    options,
    () => runTask(context, definedOnly({ type: "session.reload_plugin" as const, coverage }), options),
  );
