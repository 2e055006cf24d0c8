/** Tells how the plugin under test and its servers stand. */
import { pluginStateName } from "../../../machines/plugin_machine.ts";
import { errorMessage } from "../../core/errors.ts";
import type { PluginStatus } from "../../api/harness.ts";
import { dependencyStatus } from "../environment/dependencies.ts";
import type { SessionParts } from "../session/session_parts.ts";

export function pluginStatus(context: SessionParts): PluginStatus {
  const plugin = context.actor.getSnapshot().context.plugin?.getSnapshot();
  const members = plugin?.context.pool?.getSnapshot().context.members ?? {};
  const error = plugin?.context.error;
  return {
    state: plugin ? pluginStateName(plugin.value) : "absent",
    tools: context.plugin?.tools.length ?? 0,
    ...dependencyStatus(context),
    connections: Object.entries(members).map(([id, { state, pid }]) => ({
      id,
      state,
      ...(pid === undefined ? {} : { pid }),
    })),
    ...(context.plugin ? { plan: context.plugin.plan, server: context.plugin.server } : {}),
    ...(error === undefined ? {} : { lastError: errorMessage(error) }),
  };
}
