/** Tests that run without PTH, and the workflow that runs them. */
import type { TestCase } from "../../../machines/model/test_case.ts";
import type { CiSettings } from "./runner_settings.ts";
import { selfPackage } from "../../platform/self_version.ts";
import { serializeTests } from "../../testing/format/serialize_tests.ts";
import type { ExportFile } from "../../platform/write_inside.ts";
import { requireShim, runnerCode, runnerDependencies } from "./bundle_runner.ts";
import { workflow } from "./workflow.ts";

/** Where the parts lie, seen from the plugin's folder. */
const runnerPath = ".pth/ci/run-tests.mjs";
const ciTestsPath = ".pth/ci/tests.yaml";

/** Seen from the top of the repository. */
export const workflowPath = ".github/workflows/pth-tests.yml";

/** Files below the plugin's folder: the runner, its package and the tests. */
export async function runnerFiles(settings: CiSettings, tests: readonly TestCase[]): Promise<ExportFile[]> {
  const { version, dependencies } = await selfPackage();
  const manifest = {
    private: true,
    description: "What .pth/ci/run-tests.mjs needs.",
    dependencies: Object.fromEntries(runnerDependencies.map((name) => [name, dependencies[name] ?? "*"])),
  };
  return [
    { path: runnerPath, text: runnerText(settings, version, await runnerCode()) },
    { path: ciTestsPath, text: serializeTests(tests) },
    { path: ".pth/ci/package.json", text: `${JSON.stringify(manifest, null, 2)}\n` },
    { path: ".pth/ci/.gitignore", text: "node_modules/\npackage-lock.json\n" },
  ];
}

/** File below the repository's top. */
export const workflowFile = (settings: CiSettings, folder: string): ExportFile => ({
  path: workflowPath,
  text: workflow(settings, folder),
});

const runnerText = (settings: CiSettings, version: string, code: string): string =>
  `#!/usr/bin/env node
/*
 * Runs the tests of ${settings.plan.name.replaceAll("*/", "* /")}, which lie beside this file in tests.yaml.
 *
 *   npm install --prefix .pth/ci      once: what this file imports
 *   node .pth/ci/run-tests.mjs        --junit FILE, --tap, --grep REGEX; --help shows all
 *
 * Exits with 0 (passed), 1 (tests failed) or 2 (the tests could not be run).
 * Written by PTH ${version} (pth_export_ci): it needs no PTH, and judges as PTH does. How the plugin is installed, built
 * and started stands in PTH_CI; "{plugin}" is its folder, "{secret:NAME}" comes from the environment variable NAME.
 */
const PTH_CI = ${JSON.stringify(settings, null, 2)};

// From here on: PTH's test engine in one piece.
${requireShim}
${code}`;
