/** Folders that stand first on the PATH of a plugin's commands and of its server, as `npm exec` and `npx` have them. */
import type { PluginPlan } from "../../machines/model/plugin.ts";
import type { EnvironmentAccess } from "./environment_access.ts";

/** The Node that was brought in, and programs of the plugin's packages. */
export const pathFolders = ({ node, folder, build, source }: PluginPlan): string[] => [
  ...(node === undefined ? [] : [node]),
  ...(build?.system.startsWith("npm") || source.startsWith("npm:") ? [`${folder}/node_modules/.bin`] : []),
];

const script = 'PATH="$0:$PATH"; export PATH; exec "$@"';

/** Words that become the command, with folders first on its PATH. */
export const commandWithPath = (command: readonly string[], folders: readonly string[]): readonly string[] =>
  folders.length === 0 ? command : ["sh", "-c", script, folders.join(":"), ...command];

/** The environment with folders first on the PATH of each command. */
export const withPath = (env: EnvironmentAccess, folders: readonly string[]): EnvironmentAccess =>
  folders.length === 0
    ? env
    : { ...env, exec: (command, options) => env.exec(commandWithPath(command, folders), options) };

/**
 * The plan whose server, and whose tests' commands, have the folders first on the PATH that they would have.
 * @param path That of the environment, where it is known already.
 */
export async function withServerPath(
  plan: PluginPlan,
  env: EnvironmentAccess,
  path?: string,
): Promise<PluginPlan> {
  const folders = pathFolders(plan);
  const { server } = plan;
  if (folders.length === 0 || (server.type === "http" && server.command === undefined)) return plan;
  const before = server.env.PATH ?? path ?? (await env.exec(["sh", "-c", 'printf %s "$PATH"'])).stdout;
  return { ...plan, server: { ...server, env: { ...server.env, PATH: [...folders, before].join(":") } } };
}
