/** Installs a plugin's dependencies inside the environment, unless what is there already fits. */
import type { PluginPlan } from "../../machines/model/plugin.ts";
import { PthError } from "../core/errors.ts";
import { npmInstall } from "./build_system.ts";
import { type EnvironmentAccess, insideFolder } from "./environment_access.ts";
import { cacheFolder, readStamps, stampIn, writeStamp } from "./stamps.ts";
import { type LoadReport, type LoadStepOptions, runStep } from "./run_step.ts";
import { type PackageJson, readPackageJson } from "./package_json.ts";
import { npmHasWork } from "./npm_has_work.ts";
import { binsOf, chooseExecutable, interpreterCommand } from "./find_start.ts";
import { ensureToolchains, toolchainsOf } from "./toolchains.ts";

/**
 * Toolchains, then the install command. For an `npm:` package the report's plan knows its version and its bin.
 * @throws {PthError} `INSTALL_FAILED` with the whole output, `TOOLCHAIN_MISSING`, `TARGET_NOT_FOUND` for an unknown package,
 * `SERVER_AMBIGUOUS`
 */
export async function installPlugin(
  plan: PluginPlan,
  env: EnvironmentAccess,
  options: LoadStepOptions = {},
): Promise<LoadReport> {
  const started = performance.now();
  await ensureToolchains(env, [...plan.build?.toolchains ?? [], ...starterOf(plan)], pick(options));
  const { output, skipped } = await install(plan, env, options);
  const known = plan.source.startsWith("npm:") ? await withPackage(plan, env, options) : plan;
  const report = { plan: known, output, durationMs: performance.now() - started };
  return skipped === undefined ? report : { ...report, skipped };
}

async function install(
  plan: PluginPlan,
  env: EnvironmentAccess,
  options: LoadStepOptions,
): Promise<{ output: string; skipped?: string }> {
  const command = plan.build?.install;
  if (command === undefined) return { output: "", skipped: "nothing to install" };
  const cache = cacheFolder(plan);
  if (cache === undefined) return { output: await runStep("install", command, plan, env, options) };
  const { current, found } = await readStamps(plan, cache, env);
  if (found?.place === current.place && found.content === current.content) {
    return { output: "", skipped: `${cache} is up to date` };
  }
  if (command === npmInstall && !await npmHasWork(plan.folder, env)) {
    // What an install brought when there still were dependencies is none of the plugin's any more.
    if (found !== undefined) await env.exec(["rm", "-rf", cache], { cwd: plan.folder });
    return {
      output: "",
      skipped: "npm install is not needed: package.json has no dependencies and no install scripts",
    };
  }
  // Made in another image or at another path: what was compiled there does not run here. Else only the stamp goes: an
  // install that fails half-way fits nothing, not even what was there before.
  if (found !== undefined) {
    const outdated = found.place === current.place ? stampIn(cache) : cache;
    await env.exec(["rm", "-rf", outdated], { cwd: plan.folder });
  }
  const output = await runStep("install", command, plan, env, options);
  await writeStamp(plan, cache, env);
  return { output };
}

/** The installed package says what is started. */
async function withPackage(
  plan: PluginPlan,
  env: EnvironmentAccess,
  options: LoadStepOptions,
): Promise<PluginPlan> {
  const folder = insideFolder(env, `${plan.folder}/node_modules/${plan.name}`);
  const manifest = await readPackageJson(folder);
  if (manifest === undefined) {
    throw new PthError(
      "INSTALL_FAILED",
      `Cannot find ${plan.name} after the install: node_modules has no such package`,
      {
        tried: [plan.build?.install ?? "no install command"],
        next: [{
          terminal: 'Give another install command: --install "<command>"',
          mcp: 'Give another install command: pth_load_plugin({ install: "<command>" })',
        }],
      },
    );
  }
  const version = manifest.version === undefined ? {} : { version: manifest.version };
  if (plan.server.command === undefined || plan.server.command.length > 0) return { ...plan, ...version };
  const command = [...packageCommand(plan, manifest), ...options.args ?? []];
  return { ...plan, ...version, server: { ...plan.server, command } };
}

function packageCommand(plan: PluginPlan, manifest: PackageJson): string[] {
  const bins = Object.keys(binsOf(manifest));
  const bin = chooseExecutable(bins, manifest.name, plan.serverName);
  if (bin !== undefined) return [`${plan.folder}/node_modules/.bin/${bin}`];
  if (manifest.main !== undefined) {
    return interpreterCommand(`${plan.folder}/node_modules/${plan.name}/${manifest.main}`);
  }
  throw new PthError(
    "START_FAILED",
    `Cannot start ${plan.source}: the package has neither a bin nor a main`,
    {
      next: [{
        terminal: 'Say how it is started: --command "<command>"',
        mcp: 'Say how it is started: pth_load_plugin({ command: ["<program>", "<argument>"] })',
      }],
    },
  );
}

/** A server's program may be a toolchain of its own: `python3 server.py` without anything to install. */
function starterOf({ server }: PluginPlan): string[] {
  return toolchainsOf((server.command ?? []).slice(0, 1));
}

const pick = ({ signal, onOutput }: LoadStepOptions) => ({
  ...(signal === undefined ? {} : { signal }),
  ...(onOutput === undefined ? {} : { onOutput }),
});
