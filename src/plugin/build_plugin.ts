/** Builds a plugin inside the environment, and makes sure that there is something to start. */
import type { PluginPlan } from "../../machines/model/plugin.ts";
import { PthError } from "../core/errors.ts";
import { type EnvironmentAccess, insideFolder } from "./environment_access.ts";
import { type LoadReport, type LoadStepOptions, runStep } from "./run_step.ts";
import { pathFolders, withPath } from "./with_path.ts";
import { chooseExecutable, findStart, interpreterCommand, startPlaces } from "./find_start.ts";

/**
 * Runs the build command, if there is one. The report's plan has a command to start.
 * @throws {PthError} `BUILD_FAILED` with the whole output; `START_FAILED` when nothing was found to start, or what would be
 * started is not there; `SERVER_AMBIGUOUS`
 */
export async function buildPlugin(
  plan: PluginPlan,
  env: EnvironmentAccess,
  options: LoadStepOptions = {},
): Promise<LoadReport> {
  const started = performance.now();
  const command = plan.build?.build;
  const output = command === undefined
    ? ""
    : await runStep("build", command, plan, withPath(env, pathFolders(plan)), options);
  const complete = await withCommand(plan, env, options);
  await checkStartable(complete, env);
  const report = { plan: complete, output, durationMs: performance.now() - started };
  return command === undefined ? { ...report, skipped: "nothing to build" } : report;
}

async function withCommand(
  plan: PluginPlan,
  env: EnvironmentAccess,
  options: LoadStepOptions,
): Promise<PluginPlan> {
  if (plan.server.command?.length !== 0) return plan;
  const folder = insideFolder(env, plan.folder);
  const question = { folder, path: plan.folder, build: plan.build, wanted: plan.serverName };
  const command = await findStart(question) ?? await builtExecutable(plan, env);
  if (command === undefined) {
    throw new PthError(
      "START_FAILED",
      "Cannot start plugin: no server start command was found after the build",
      {
        tried: [...startPlaces, "executables in the folder, bin, build, dist, target"],
        found: await folder.list(),
        next: [{
          terminal: 'Give the start command: --command "<command>"',
          mcp: 'Give the start command: pth_load_plugin({ command: ["<program>", "<argument>"] })',
        }],
      },
    );
  }
  return { ...plan, server: { ...plan.server, command: [...command, ...options.args ?? []] } };
}

/** Executable that a makefile built: the only one, or the one named like the plugin. */
async function builtExecutable(plan: PluginPlan, env: EnvironmentAccess): Promise<string[] | undefined> {
  const script = "find . bin build dist target/debug target/release -maxdepth 1 -type f -perm -u+x " +
    "! -name '*.so*' ! -name '*.o' ! -name 'configure' ! -name '*.sh' ! -name '.*' 2>/dev/null | sed 's,^\\./,,' | sort -u";
  const { stdout } = await env.exec(["sh", "-c", script], { cwd: plan.folder });
  const files = stdout.split("\n").filter((file) => file !== "");
  const nameOf = (file: string) => file.slice(file.lastIndexOf("/") + 1);
  const chosen = chooseExecutable([...new Set(files.map(nameOf))], plan.name, plan.serverName);
  const file = files.find((file) => nameOf(file) === chosen);
  return file === undefined ? undefined : interpreterCommand(`${plan.folder}/${file}`);
}

/** Reports a start file that the build did not make, which is clearer than the interpreter's error. */
async function checkStartable({ server, folder, build }: PluginPlan, env: EnvironmentAccess): Promise<void> {
  const file = server.command?.slice(0, 2).find((word) => word.startsWith(`${folder}/`));
  if (file === undefined || await insideFolder(env, folder).exists(file)) return;
  throw new PthError(
    "START_FAILED",
    `Cannot start plugin: ${file} is not there${build?.build ? " after the build" : ""}`,
    {
      tried: [server.command!.join(" "), ...(build?.build ? [build.build] : [])],
      next: [
        build?.build ? "See where the build puts its output" : {
          terminal: 'Give the build command: --build "<command>"',
          mcp: 'Give the build command: pth_load_plugin({ build: "<command>" })',
        },
        {
          terminal: 'Give the start command: --command "<command>"',
          mcp: 'Give the start command: pth_load_plugin({ command: ["<program>", "<argument>"] })',
        },
      ],
    },
  );
}
