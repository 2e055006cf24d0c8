/** The plugin's server as an agent starts it or reaches it, where the plugin is loaded. */
import type { AgentPlace } from "../../agents/adapters/agent.ts";
import type { PluginParts } from "../../agents/adapters/plugin_parts.ts";
import type { SessionResources } from "../session_resources.ts";

/** Starts in the server's own folder: configurations of servers have no place for it. */
const inFolder = 'cd "$0" && exec "$@"';

export async function serverForAgent(
  live: SessionResources,
  plugin: string,
  signal: AbortSignal,
): Promise<AgentPlace["server"]> {
  const { plan } = live.plugin;
  if (plan === undefined) return undefined;
  const { server } = plan;
  const name = (plan.serverName ?? plan.name).replaceAll(/[^A-Za-z0-9-]+/g, "_").replace(/^_/, "");
  const declared = await declaresServers(live, plugin, signal);
  if (server.type === "stdio") {
    const args = ["-c", inFolder, server.cwd, ...server.command];
    return { name, declared, entry: { command: "sh", args, env: server.env } };
  }
  const port = server.port ?? [...live.connections.serverPorts].at(-1);
  const url = server.url.replaceAll("{port}", String(port ?? ""));
  const headers = server.headers === undefined ? {} : { headers: server.headers };
  return { name, declared, entry: { type: "http", url, ...headers } };
}

/** Parts with the loaded server, for agents that do not read plugins: it takes the place of those of the plugin's files. */
export function withServer(parts: PluginParts, server: AgentPlace["server"]): PluginParts {
  if (server === undefined || server.declared) return parts;
  const { name, entry } = server;
  const common = { name, env: {}, headers: {} };
  return {
    ...parts,
    servers: [
      "url" in entry
        ? { ...common, command: [], url: entry.url, headers: entry.headers ?? {} }
        : { ...common, command: [entry.command, ...entry.args], env: entry.env },
    ],
  };
}

/** Variables that the user gave to the plugin's server: its own configuration may name them. The PATH has what was brought in for it. */
export function pluginVariables({ plugin: { plan } }: SessionResources): Record<string, string> {
  if (plan === undefined) return {};
  const { env } = plan.server;
  return Object.fromEntries(
    ["PATH", ...(plan.variables ?? []).map(({ name }) => name)].flatMap((name) =>
      env[name] === undefined ? [] : [[name, env[name]]]
    ),
  );
}

/** Whether it is a plugin that names its servers; an `.mcp.json` alone is meant for its own folder. */
async function declaresServers(
  live: SessionResources,
  plugin: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { runtime, info: { handle } } = live.environment.require();
  const script =
    'cd "$1/.claude-plugin" && [ -f plugin.json ] && { [ -f ../.mcp.json ] || grep -q mcpServers plugin.json; }';
  const { code } = await runtime.exec(handle, ["sh", "-c", script, "sh", plugin], { signal });
  return code === 0;
}
