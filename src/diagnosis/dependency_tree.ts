/** What a plugin's dependencies are as they are installed, told with a failed install or build. */
import type { PluginPlan } from "../../machines/model/plugin.ts";
import type { EnvironmentAccess } from "../plugin/environment_access.ts";

/** Build systems by their names, and who lists what is there; each is tried if its program is. */
const listings: readonly [RegExp, string][] = [
  [/^npm/, "npm ls --all --depth=2"],
  [/^pip/, "if [ -x .venv/bin/pip ]; then .venv/bin/pip list; else pip list; fi"],
  [/^cargo/, "cargo tree --depth 2"],
];
const listWithin = 20_000;
const mostLines = 60;

/** The tree as the build system tells it, its complaints included; "" where it has no such list. */
export async function dependencyTree(
  { build, folder }: Pick<PluginPlan, "build" | "folder">,
  env: EnvironmentAccess,
): Promise<string> {
  const command = listings.find(([system]) => system.test(build?.system ?? ""))?.[1];
  if (command === undefined) return "";
  const { stdout, stderr } = await env.exec(["sh", "-c", command], {
    cwd: folder,
    env: { npm_config_update_notifier: "false", npm_config_logs_max: "0", npm_config_offline: "true" },
    signal: AbortSignal.timeout(listWithin),
  });
  const lines = `${stdout}${stderr}`.trim().split("\n");
  const more = lines.length - mostLines;
  return [...lines.slice(0, mostLines), ...(more > 0 ? [`… ${more} more lines: ${command}`] : [])].join("\n");
}
