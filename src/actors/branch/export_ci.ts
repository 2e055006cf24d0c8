/** Branch work `export_ci`: a test runner that needs no PTH, the tests, and a workflow. */
import { join, resolve } from "node:path";
import { PthError } from "../../core/errors.ts";
import type { CiExport } from "../../api/harness.ts";
import { runnerFiles, workflowFile, workflowPath } from "../../export/ci/workflow_file.ts";
import { commitExport } from "../../export/commit_export.ts";
import { writeInside } from "../../platform/write_inside.ts";
import { mkdir } from "../../platform/files.ts";
import type { SessionResources } from "../session_resources.ts";
import { ciSettings } from "../../export/ci/ci_settings.ts";
import type { ExportCiArgs } from "../../../machines/model/branch_work.ts";

/** @throws {PthError} `NOT_NOW` before the plugin is loaded, `NO_TESTS_MATCH`, `UNSUPPORTED`, `INVALID_INPUT` */
export async function exportCi(
  live: SessionResources,
  { tests, standing, output }: ExportCiArgs,
): Promise<CiExport> {
  const plan = live.plugin.requirePlan();
  const source = live.code.source!;
  if (tests.length === 0) {
    throw new PthError("NO_TESTS_MATCH", "Cannot export tests: the session has none", {
      next: [{ mcp: "Propose some: pth_generate_tests({})" }, { mcp: "Write one: pth_create_test" }],
    });
  }
  if (plan.source.startsWith("npm:")) {
    throw new PthError(
      "UNSUPPORTED",
      `Cannot export tests of ${plan.source}: it has no repository to run in`,
      {
        next: ["Start the session on the plugin's own folder"],
      },
    );
  }
  if (output === undefined && source.branch === undefined) {
    throw new PthError("INVALID_INPUT", "Cannot export tests: the session's copy goes away when it ends", {
      next: ["Say where to write: output, a folder on the host"],
    });
  }
  const settings = ciSettings({
    plan,
    sourcePath: live.environment.require().info.handle.sourcePath,
    args: live.target.args ?? [],
    variables: live.plugin.variables,
    secrets: live.secrets.values,
  });
  const folder = output === undefined ? join(source.worktree, source.subfolder) : resolve(output);
  const top = output === undefined ? source.worktree : folder;
  const subfolder = output === undefined ? source.subfolder : "";
  await mkdir(folder, { recursive: true });
  const files = await runnerFiles(settings, live.secrets.redact.value(tests));
  const written = [
    ...(await writeInside(folder, files)).map((path) => join(subfolder, path)),
    ...await writeInside(top, [workflowFile(settings, subfolder)]),
  ];
  const exported = { folder, tests: tests.length, standing, written, secrets: settings.secrets };
  if (output !== undefined) return exported;
  const paths = [...files.map(({ path }) => join(subfolder, path)), workflowPath];
  const commit = await commitExport(source, paths, { type: "tests", title: "export for CI" });
  return { ...exported, ...(commit === undefined ? {} : { commit }) };
}
