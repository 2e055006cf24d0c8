/** Dependency plugins of the session: brought up before the plugin under test, and told of. */
import type { EnvironmentConfig } from "../../../machines/model/environment.ts";
import type { DependencyStatus } from "../../../machines/model/session.ts";
import { PthError } from "../../core/errors.ts";
import type { RequestOptions } from "../../api/harness.ts";
import { declaredVariables, isSecretName } from "../../plugin/declared_variables.ts";
import { hostFolder } from "../../plugin/readable_folder.ts";
import { nameDependencies } from "../../plugin/dependency_names.ts";
import { parseTarget } from "../../session/parse_target.ts";
import { sendRequest } from "../send_request.ts";
import type { SessionParts } from "../session/session_parts.ts";

/**
 * With every dependency's name filled in.
 * @throws {PthError} `INVALID_INPUT` for two of one name, `TARGET_NOT_FOUND`: before anything is made
 */
export async function checkDependencies(
  { live }: SessionParts,
  config: Partial<EnvironmentConfig>,
): Promise<Partial<EnvironmentConfig>> {
  if (config.dependencyPlugins === undefined) return config;
  const dependencyPlugins = nameDependencies(config.dependencyPlugins);
  for (const { source, configValues = {} } of dependencyPlugins) {
    const parsed = await parseTarget({ target: source });
    const declared = parsed.kind === "folder" ? await declaredSecrets(parsed.path) : [];
    for (const [name, value] of Object.entries(configValues)) {
      if (isSecretName(name) || declared.includes(name)) live.secrets.hide(value);
    }
  }
  return { ...config, dependencyPlugins };
}

/**
 * Reads from the plugin's files which variables are secrets, whatever their names. Unreadable files are reported at
 * its start.
 */
async function declaredSecrets(folder: string): Promise<string[]> {
  try {
    return (await declaredVariables(hostFolder(folder))).flatMap(({ name, secret }) => secret ? [name] : []);
  } catch (error) {
    if (error instanceof PthError && error.code === "INVALID_CONFIG") return [];
    throw error;
  }
}

/**
 * Starts the dependency plugins; does nothing if there are none or if they run already.
 * @throws {PthError} `DEPENDENCY_FAILED`, `CONFIG_MISSING`
 */
export async function startDependencies(
  { actor }: SessionParts,
  { signal }: RequestOptions,
): Promise<void> {
  const { value, context } = actor.getSnapshot();
  const { dependencies } = (value as { open?: Record<string, string> }).open ?? {};
  const wanted = context.provisioned.info?.config.dependencyPlugins ?? [];
  if (wanted.length === 0 || dependencies === "ready") return;
  await sendRequest(actor, { type: "session.start_dependencies" }, { signal });
}

export async function stopDependencies({ actor }: SessionParts): Promise<void> {
  if (actor.getSnapshot().context.dependencies) {
    await sendRequest(actor, { type: "session.stop_dependencies" });
  }
}

/** In the order in which they start; nothing where there are none. */
export function dependencyStatus(
  { actor, live }: SessionParts,
): { dependencies?: DependencyStatus[] } {
  const { provisioned, dependencies: group } = actor.getSnapshot().context;
  const running = group?.getSnapshot().context.running ?? [];
  const wanted = nameDependencies(provisioned.info?.config.dependencyPlugins ?? []);
  const dependencies = wanted.map(({ name, source }): DependencyStatus => {
    const plugin = running.find((one) => one.name === name)?.plugin.getSnapshot();
    const known = live.plugin.dependencies.get(name);
    const up = plugin?.matches("ready") === true;
    const [member] = Object.values(plugin?.context.pool?.getSnapshot().context.members ?? {});
    return live.secrets.redact.value({
      name,
      source,
      state: plugin === undefined ? "absent" : String(plugin.value),
      tools: up ? known?.tools.map((tool) => tool.name) ?? [] : [],
      variables: up ? known?.announced ?? {} : {},
      ...(member?.pid === undefined ? {} : { pid: member.pid }),
    });
  });
  return wanted.length === 0 ? {} : { dependencies };
}
