/** Tells how the plugin under test and its servers stand. */
import { pluginStateName } from "../../../machines/plugin_machine.ts";
import type { PluginInfo } from "../../../machines/model/session.ts";
import { errorMessage } from "../../core/errors.ts";
import type { PluginStatus } from "../../api/harness.ts";
import { dependencyStatus } from "../environment/dependencies.ts";
import { loadedPlugin, type SessionParts } from "../session/session_parts.ts";

/** The plugin that runs, with its dependencies and what the latest load found of its contract. */
export function pluginInfo(context: SessionParts): PluginInfo | undefined {
  const plugin = loadedPlugin(context);
  const { contract } = context.actor.getSnapshot().context.loaded;
  return plugin && { ...plugin, ...dependencyStatus(context), ...(contract ? { contract } : {}) };
}

export function pluginStatus(context: SessionParts): PluginStatus {
  const plugin = context.actor.getSnapshot().context.plugin?.getSnapshot();
  const members = plugin?.context.pool?.getSnapshot().context.members ?? {};
  const { running } = plugin?.context ?? {};
  // Of a plugin that is absent, the session knows why.
  const error = plugin ? plugin.context.error : context.actor.getSnapshot().context.loaded.failure;
  return {
    state: plugin ? pluginStateName(plugin.value) : "absent",
    tools: running?.tools.length ?? 0,
    ...dependencyStatus(context),
    connections: Object.entries(members).map(([id, { state, pid }]) => ({
      id,
      state,
      ...(pid === undefined ? {} : { pid }),
    })),
    ...(running ? { plan: running.plan, server: running.server } : {}),
    ...(error === undefined ? {} : { lastError: errorMessage(error) }),
  };
}
