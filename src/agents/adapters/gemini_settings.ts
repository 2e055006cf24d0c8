/** Parts of a plugin in the form that Gemini CLI and its relatives share. */
import type { PluginParts, PluginServer } from "./plugin_parts.ts";

const server = ({ command: [command, ...args], env, cwd, url, headers }: PluginServer) => ({
  ...(url === undefined
    ? { command, args, env, ...(cwd === undefined ? {} : { cwd }) }
    : { httpUrl: url, headers }),
  trust: true,
});

/**
 * Settings with the plugin's servers, without telemetry and questions of trust.
 * @param authType Name of the way in which it identifies itself to the model's API
 */
export const geminiSettings = (authType: string, servers: readonly PluginServer[]) => ({
  security: { auth: { selectedType: authType }, folderTrust: { enabled: false } },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  model: { skipNextSpeakerCheck: true },
  mcpServers: Object.fromEntries(servers.map((each) => [each.name, server(each)])),
});

/** Files of subagents. @param folder Folder of the agent's configuration */
export const subagentFiles = (
  folder: string,
  subagents: PluginParts["subagents"],
): Record<string, string> =>
  Object.fromEntries(subagents.map(({ name, description, text }) => [
    `${folder}/agents/${name}.md`,
    `---\nname: ${name}\ndescription: ${JSON.stringify(description || name)}\n---\n\n${text}\n`,
  ]));
