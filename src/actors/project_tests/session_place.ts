/** The folder of a session's plugin in its environment, as a place where the plugin's own tests run. */
import { join, posix } from "node:path";
import type { PluginPlan } from "../../../machines/model/plugin.ts";
import type { ProjectTestRun } from "../../../machines/model/project_test_run.ts";
import { PthError } from "../../core/errors.ts";
import { detectBuild } from "../../plugin/detect.ts";
import { accessTo, insideFolder } from "../../plugin/environment_access.ts";
import { installPlugin } from "../../plugin/install_plugin.ts";
import { hostFolder } from "../../plugin/readable_folder.ts";
import { type LoadStepOptions, runStep } from "../../plugin/run_step.ts";
import { pathFolders, withPath } from "../../plugin/with_path.ts";
import { environmentPlace } from "../../project_tests/environment_place.ts";
import type { ProjectPlace } from "../../project_tests/project_place.ts";
import { fetchedFolder } from "../../testing/coverage/line_ranges.ts";
import { treeAccessOf } from "../plugin/tree_access_of.ts";
import { withRetriedSource } from "../promise_actor.ts";
import type { SessionResources } from "../session_resources.ts";

/**
 * Brings the source up to date in the environment and, where no load has done so, installs and builds what the tests need.
 * @throws {PthError} `INVALID_INPUT` for a folder outside of the plugin's, `TARGET_NOT_FOUND`, `INSTALL_FAILED`, `BUILD_FAILED`
 */
export async function sessionPlace(
  live: SessionResources,
  run: ProjectTestRun,
  signal: AbortSignal,
): Promise<ProjectPlace> {
  const { projectRoot } = run;
  const below = posix.normalize(projectRoot || ".").replace(/(?<=.)\/+$/, "");
  if (posix.isAbsolute(below) || below === ".." || below.startsWith("../")) {
    throw new PthError(
      "INVALID_INPUT",
      `Cannot run the tests: ${projectRoot} is outside of the plugin's folder`,
      {
        next: ["Give a path below the plugin's folder, or leave it out"],
      },
    );
  }
  live.secrets.hideVariables(run.env);
  const environment = live.environment.require();
  const { runtime, info: { handle } } = environment;
  const { worktree, subfolder, source } = live.code.source!;
  await runtime.mountSource(handle, worktree, handle.sourcePath);
  const root = posix.join(handle.sourcePath, subfolder, fetchedFolder(source) ?? "", below).replace(
    /\/$/,
    "",
  );
  if ((await runtime.exec(handle, ["test", "-d", root], { cwd: "/", signal })).code !== 0) {
    throw new PthError("TARGET_NOT_FOUND", `Cannot run the tests: the plugin has no folder ${below}`, {
      next: ["Name a folder of the plugin, or leave it out"],
    });
  }
  const loaded = live.plugin.plan;
  const isLoaded = loaded !== undefined && below === ".";
  const prepared = isLoaded ? loaded : await installed(live, { root, below }, signal);
  // Tests may change whatever they reach.
  environment.touched = true;
  const path = prepared?.node === undefined ? [] : [prepared.node];
  return environmentPlace(runtime, handle, { root, path, redact: live.secrets.redact });
}

/** Installs and builds as a load would; resolves to the plan, or undefined where there is nothing to install. */
async function installed(
  live: SessionResources,
  { root, below }: { root: string; below: string },
  signal: AbortSignal,
): Promise<PluginPlan | undefined> {
  const { runtime, info: { handle } } = live.environment.require();
  const access = accessTo(runtime, handle);
  const { worktree, subfolder, name, source } = live.code.source!;
  const { isolated } = access;
  // On the host no path is followed that a link of the project may lead elsewhere.
  const folder = below === "." ? hostFolder(join(worktree, subfolder)) : insideFolder(access, root);
  const build = await detectBuild(folder, { isolated });
  // What a compiler makes of the source, frameworks ask it for themselves.
  if (build?.install === undefined) return undefined;
  const server = { type: "stdio" as const, command: [], env: {}, cwd: root };
  const step = <T>(
    phase: string,
    command: string,
    work: (options: LoadStepOptions) => Promise<T>,
    done?: (result: T) => string,
  ) => {
    const options = { onOutput: live.progress.output(phase), hide: live.secrets.redact.text, signal };
    const retried = () => withRetriedSource(live, phase, () => work(options), signal);
    return live.progress.step(phase, command, retried, done);
  };
  const { plan } = await step("install", build.install, (options) => {
    const trees = below === "." ? { trees: treeAccessOf(live) } : {};
    return installPlugin({ name, source, folder: root, build, server }, access, { ...options, ...trees });
  }, ({ skipped }) => skipped ?? build.install!);
  const command = build.build;
  if (command !== undefined) {
    const inside = withPath(access, pathFolders(plan));
    await step("build", command, (options) => runStep("build", command, plan, inside, options));
  }
  return plan;
}
