/** The folder of a session's plugin in its environment, as a place where the plugin's own tests run. */
import { posix } from "node:path";
import type { ProjectTestRun } from "../../../machines/model/project_test_run.ts";
import { PthError } from "../../core/errors.ts";
import { environmentPlace } from "../../project_tests/environment_place.ts";
import type { ProjectPlace } from "../../project_tests/project_place.ts";
import { fetchedFolder } from "../../testing/coverage/line_ranges.ts";
import type { SessionResources } from "../session_resources.ts";
import { installForTests } from "./install_for_tests.ts";

/**
 * Brings the source up to date in the environment and installs what the tests need there.
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
  const plan = await installForTests(live, { root, below }, signal);
  // Tests may change whatever they reach.
  environment.touched = true;
  const path = plan?.node === undefined ? [] : [plan.node];
  return environmentPlace(runtime, handle, { root, path, redact: live.secrets.redact });
}
